// @ts-check
import { announce } from "./dom.js";
import { t } from "./i18n.js";

/**
 * Copies a text and says so in the button and to a screen reader.
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
  setTimeout(() => delete button.dataset.copied, 1600);
}
