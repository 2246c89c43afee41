// @ts-check
import { asciiDigits } from "./login.js";

/**
 * A person's input in the code field.
 * @typedef {{kind: "code", code: string, complete: boolean} | {kind: "link", url: string}} CodeInput
 */

/** The most characters that are read of a message. */
const longest = 8192;

/**
 * Reads the code field: a link, alone or within its message, which the console finds, or the digits of a code.
 * @param {string} text
 * @param {number} length how many digits a code has
 * @returns {CodeInput}
 */
export function readCodeInput(text, length) {
  const trimmed = text.trim().slice(0, longest);
  if (/https?:\/\//i.test(trimmed) && /\/callback\b/i.test(trimmed)) return { kind: "link", url: trimmed };
  const code = asciiDigits(trimmed).slice(0, length);
  return { kind: "code", code, complete: code.length === length };
}

/**
 * Whether a text is digits with what people put between them, so that it may be tidied; any other text stays as typed.
 * @param {string} text
 */
export const isCodeLike = (text) => /^[\p{Nd}\p{M}\p{Pd}\p{Z}\p{Cf}\s.,]*$/u.test(text);

/**
 * How many attempts a code has left, or null if only the backend counts them; the embedded one allows five for each message.
 * @param {boolean} isEmbedded
 * @param {number | undefined} tries that failed so far
 */
export const attemptsLeft = (isEmbedded, tries) => (isEmbedded ? Math.max(0, 5 - (tries ?? 0)) : null);
