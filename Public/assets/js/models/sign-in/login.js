// @ts-check
/**
 * What a person pasted or typed into the code field.
 * @typedef {{kind: "code", code: string, complete: boolean} | {kind: "link", url: string}} CodeInput
 * What the second step needs after a reload of the tab.
 * @typedef {{identifier: string, masked: string, kind: "link" | "code" | "none", expiresAt: number, tries?: number,
 *   cooldown: import("./cooldown.js").StoredCooldown | null}} PendingLogin
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

/** Whether a text can be an identifier at all; the server says whether it is one. @param {string} text */
export const isIdentifierLike = (text) => /^\S+@\S+$/.test(text.trim()) || asciiDigits(text).length >= 4;

/**
 * How many attempts a code has left, or null if only the backend knows; the embedded one allows five for each message.
 * @param {boolean} isEmbedded
 * @param {number | undefined} tries that failed so far
 */
export const attemptsLeft = (isEmbedded, tries) => (isEmbedded ? Math.max(0, 5 - (tries ?? 0)) : null);

/**
 * What was stored of a pending sign-in, or null when it is none or its message has expired.
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

/** @typedef {{token: string, state: string | null}} DeepLink */

/**
 * The token and state of a fragment or a query; the fragment comes first, as it is the one that is not sent.
 * @param {string} hash with or without `#`
 * @param {string} query with or without `?`
 * @returns {DeepLink | null}
 */
export function readDeepLink(hash, query) {
  for (const part of [hash.replace(/^#/, ""), query.replace(/^\?/, "")]) {
    const fields = new URLSearchParams(part);
    const token = fields.get("token");
    if (token && /^[\x21-\x7e]{8,512}$/.test(token)) return { token, state: fields.get("state") || null };
  }
  return null;
}

/** The token and state of a whole link, or null when it is none. @param {string} address @returns {DeepLink | null} */
export function parseDeepLink(address) {
  try {
    const url = new URL(address);
    return readDeepLink(url.hash, url.search);
  } catch {
    return null;
  }
}

/**
 * The address of a message's link when this page may offer it as one: http or https, and of this origin.
 * @param {string | undefined} link
 * @param {string} origin
 * @returns {string | null}
 */
export function followableLink(link, origin) {
  if (!link) return null;
  try {
    const url = new URL(link);
    const web = url.protocol === "https:" || url.protocol === "http:";
    return web && url.origin === origin && !url.username && !url.password ? url.href : null;
  } catch {
    return null;
  }
}
