// @ts-check
import { markCopy } from "./copy-mark.js";
import { announce, h, icon } from "./dom.js";
import { t } from "./i18n.js";

/**
 * Copies a text. The button shows the result, and screen readers announce it.
 * @param {HTMLElement} button
 * @param {string} text
 */
export async function copyText(button, text) {
  let isCopied = true;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    isCopied = false;
  }
  announce(t(isCopied ? "copy.done" : "copy.failed"));
  markCopy(button, isCopied);
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
