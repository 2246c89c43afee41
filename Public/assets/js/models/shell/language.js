// @ts-check
/** The languages that the pages speak, by their own names; the last two show what a translation would break. */
export const pageLanguages = [
  { code: "en", name: "English" },
  { code: "de", name: "Deutsch" },
  { code: "fr", name: "Français" },
  { code: "es", name: "Español" },
  { code: "pl", name: "Polski" },
  { code: "ja", name: "日本語" },
  { code: "ar", name: "العربية" },
  { code: "he", name: "עברית" },
  { code: "en-XA", name: null },
  { code: "ar-XB", name: null },
];

/** The page language that serves a language of an account: the same or its base language; null where there is none. @param {string | undefined} code */
export function pageLanguageFor(code) {
  if (!code) return null;
  const base = code.toLowerCase().split(/[-_]/)[0];
  return pageLanguages.find((one) => one.name && one.code === base)?.code ?? null;
}

/**
 * The language that the page changes to when it learns the account's: it follows the account, but a language that somebody
 * chose for the pages themselves stays until the account's next change.
 * @param {{account: string | undefined, followed: string | null, chosen: string | null, shown: string}} facts `followed` is
 *   the account's language as last seen here, `chosen` the stored choice
 * @returns {string | null} null to stay
 */
export function languageToFollow({ account, followed, chosen, shown }) {
  if (!account || account === followed) return null;
  const language = pageLanguageFor(account);
  if (!language || language === shown) return null;
  return followed === null && chosen !== null ? null : language;
}

/** The name of a language in that language; its code where none is known. @param {string} code */
export function endonym(code) {
  try {
    const name = new Intl.DisplayNames([code], { type: "language" }).of(code) ?? code;
    return name.charAt(0).toLocaleUpperCase(code) + name.slice(1);
  } catch {
    return code;
  }
}

/** Lower case and without marks, so that "reseau" finds "Réseau". @param {string} text */
export const folded = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLocaleLowerCase();
