// @ts-check
/**
 * The second step's data after a reload of the tab.
 * @typedef {{identifier: string, masked: string, kind: "link" | "code" | "none", expiresAt: number, tries?: number,
 *   cooldown: import("./cooldown.js").StoredCooldown | null, isOffered?: true}} PendingLogin `isOffered` if a backend file
 *   describes the sign-in
 */

/**
 * The ASCII digits of a text in any script; spaces, dashes and marks between them are dropped.
 * @param {string} text
 */
export function asciiDigits(text) {
  let digits = "";
  for (const character of text.normalize("NFKC")) {
    if (/\p{Nd}/u.test(character)) digits += String(digitValue(character));
  }
  return digits;
}

// Every block of decimal digits is ten code points in order, so the digit is the distance to the block's zero.
/** @param {string} character one of the category Nd */
function digitValue(character) {
  const point = character.codePointAt(0) ?? 0;
  let zero = point;
  while (point - zero < 9 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1;
  if (point <= 0x39) return point - 0x30;
  return (point - zero) % 10;
}

/** Whether a text can be an identifier at all; the server decides. @param {string} text */
export const isIdentifierLike = (text) => /^\S+@\S+$/.test(text.trim()) || asciiDigits(text).length >= 4;

/** An address that no account has yet, made of random bytes. @param {Uint8Array} bytes */
export const testIdentifier = (bytes) => `tester-${Array.from(bytes, (one) => one.toString(16).padStart(2, "0")).join("")}@example.com`;

/**
 * Whether an identifier, as the backend normalized it, is the typed one: an address in any case, a number with any punctuation
 * and `00` or `+` before it.
 * @param {string} normalized
 * @param {string} typed
 */
export function isSentTo(normalized, typed) {
  const text = typed.trim();
  return normalized === (text.includes("@") ? text.toLowerCase() : `+${asciiDigits(text).replace(/^00/, "")}`);
}

/**
 * The stored pending sign-in, or null if there is none or its message has expired.
 * @param {string | null} stored JSON
 * @param {number} wall now, in milliseconds
 * @returns {PendingLogin | null}
 */
export function restorePending(stored, wall) {
  if (!stored) return null;
  try {
    const value = JSON.parse(stored);
    if (typeof value?.identifier !== "string" || typeof value.masked !== "string") return null;
    return Number.isFinite(value.expiresAt) && value.expiresAt > wall ? value : null;
  } catch {
    return null;
  }
}
