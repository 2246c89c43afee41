// @ts-check
import { announce, h, icon } from "./dom.js";
import { t } from "./i18n.js";

/** The timer that removes the mark of a copy. @type {WeakMap<HTMLElement, number>} */
const marks = new WeakMap();

/**
 * Copies a text and shows that on the button and to screen readers.
 * @param {HTMLElement} button
 * @param {string} text
 */
export async function copyText(button, text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    announce(t("copy.failed"));
    return;
  }
  announce(t("copy.done"));
  button.dataset.copied = "true";
  clearTimeout(marks.get(button));
  marks.set(button, setTimeout(() => delete button.dataset.copied, 1600));
}

/** A small button that copies the result of `value`. @param {() => string} value @param {string} label */
export function copyButton(value, label) {
  const button = h(
    "button",
    { type: "button", class: "button button-quiet button-small copy", "aria-label": label, title: label },
    icon("copy", 14),
  );
  button.addEventListener("click", () => void copyText(button, value()));
  return button;
}
