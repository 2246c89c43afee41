// @ts-check
import { t } from "./i18n.js";

/** How long a button shows that the browser copied or failed to copy, in milliseconds. */
const shown = { done: 1600, failed: 6000 };

/** The function that ends the mark of a copy. @type {WeakMap<HTMLElement, () => void>} */
const marks = new WeakMap();

/**
 * Shows on a button whether the browser copied: a tick replaces its icon, and `.copy-label` names the result.
 * @param {HTMLElement} button
 * @param {boolean} isCopied
 */
export function markCopy(button, isCopied) {
  marks.get(button)?.();
  const [drawing, label] = [button.querySelector("use"), button.querySelector(".copy-label")];
  const [before, words, title] = [drawing?.getAttribute("href"), label?.textContent, button.title];
  // The button keeps its width, so that its neighbors do not move.
  button.style.setProperty("min-inline-size", `${button.offsetWidth}px`);
  button.dataset.copied = String(isCopied);
  drawing?.setAttribute("href", `/assets/icons/sprite.svg#${isCopied ? "check" : "alert"}`);
  if (label) label.textContent = t(isCopied ? "copy.done" : "copy.not_done");
  if (!isCopied) button.title = t("copy.failed");
  const timer = setTimeout(end, isCopied ? shown.done : shown.failed);
  function end() {
    clearTimeout(timer);
    marks.delete(button);
    button.style.removeProperty("min-inline-size");
    delete button.dataset.copied;
    if (before) drawing?.setAttribute("href", before);
    if (label) label.textContent = words ?? "";
    if (!isCopied) button.title = title;
  }
  marks.set(button, end);
}
