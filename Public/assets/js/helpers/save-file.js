// @ts-check
import { h } from "./dom.js";

/** Hands a file to the browser, which saves it where it saves downloads. @param {Blob} content @param {string} name */
export function saveFile(content, name) {
  const link = h("a", { href: URL.createObjectURL(content), download: name });
  link.click();
  // The browser reads the file after the click has returned.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
