// @ts-check
/**
 * The page language for a language of an account, by its base language, or null if there is none.
 * @param {string | undefined} code
 * @param {string[]} languages the codes of the page languages
 */
export function pageLanguageFor(code, languages) {
  const base = code?.toLowerCase().split(/[-_]/)[0];
  return languages.find((one) => one === base) ?? null;
}

/**
 * The language that the page changes to when it learns the account's. It follows the account, but a language that somebody
 * chose for the pages stays until the account's next change.
 * @param {{account: string | undefined, followed: string | null, chosen: string | null, shown: string}} facts `followed` is
 *   the account's language when it was last seen here, `chosen` the stored choice
 * @param {string[]} languages the codes of the page languages
 * @returns {string | null} null to stay
 */
export function languageToFollow({ account, followed, chosen, shown }, languages) {
  if (!account || account === followed) return null;
  const language = pageLanguageFor(account, languages);
  if (!language || language === shown) return null;
  return followed === null && chosen !== null ? null : language;
}
