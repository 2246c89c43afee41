// @ts-check
import { parseDeepLink } from "./deep-link.js";
import { asciiDigits } from "./login.js";

/**
 * What a person pasted or typed into the code field.
 * @typedef {{kind: "code", code: string, complete: boolean} | {kind: "link", url: string}} CodeInput
 */

/**
 * Reads the code field: a whole link, or the digits of a code.
 * @param {string} text
 * @param {number} length how many digits a code has
 * @returns {CodeInput}
 */
export function readCodeInput(text, length) {
  const trimmed = text.trim();
  const address = trimmed.match(/[a-z][a-z0-9+.-]*:\/\/\S+/i)?.[0];
  if (address && parseDeepLink(address)) return { kind: "link", url: address };
  const code = asciiDigits(trimmed).slice(0, length);
  return { kind: "code", code, complete: code.length === length };
}

/**
 * Whether a text is digits with what people put between them, so that it may be tidied; anything else is left as it was typed.
 * @param {string} text
 */
export const isCodeLike = (text) => /^[\p{Nd}\p{M}\p{Pd}\p{Z}\p{Cf}\s.,]*$/u.test(text);

/**
 * How many attempts a code has left, or null if only the backend knows; the embedded one allows five for each message.
 * @param {boolean} isEmbedded
 * @param {number | undefined} tries that failed so far
 */
export const attemptsLeft = (isEmbedded, tries) => (isEmbedded ? Math.max(0, 5 - (tries ?? 0)) : null);
