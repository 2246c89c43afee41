// @ts-check
/** @typedef {import("../shell/console-state.js").User} User */
/**
 * @typedef {{profile_id: string, language_code: string, display_name?: string, created_at?: string}} Profile
 * @typedef {{user: User, profiles?: Profile[], active_profile?: Profile | null,
 *   config?: import("../shell/console-state.js").AppConfig | null, source?: string,
 *   settings?: {preferred_language_code?: string, [name: string]: string | boolean | undefined}}} Account
 */

/** The name of a language in that language, or its code if the name is unknown. @param {string} code */
export function endonym(code) {
  try {
    const name = new Intl.DisplayNames([code], { type: "language" }).of(code) ?? code;
    return name.charAt(0).toLocaleUpperCase(code) + name.slice(1);
  } catch {
    return code;
  }
}

/**
 * The backend's name of a language, else the language's own name.
 * @param {string} code
 * @param {Pick<Account, "config">} account
 */
export function languageName(code, account) {
  const named = account.config?.supported_languages?.find((one) => one.code === code)?.name;
  return named || endonym(code);
}

/** A profile's name: its own, else its language's. @param {Profile} profile @param {Pick<Account, "config">} account */
export const profileName = (profile, account) => profile.display_name || languageName(profile.language_code, account);

/** The languages that have no profile yet. @param {Profile[]} profiles @param {Pick<Account, "config">} account */
export const languagesWithoutProfile = (profiles, account) =>
  (account.config?.supported_languages ?? []).filter(({ code }) => !profiles.some((one) => one.language_code === code));

/** Whether the backend's flag and the account's role both show developer tools. @param {Account} account */
export const showsDeveloperTools = (account) =>
  account.config?.features?.developer_tools === true && (account.user.roles ?? []).includes("developer");

/**
 * Whether the backend has a feature on; one that it does not name counts as on.
 * @param {Pick<Account, "config">} account
 * @param {string} name
 */
export const hasFeature = (account, name) => account.config?.features?.[name] !== false;

/**
 * Whether the typed text confirms a deletion: the word of the page's language or the console's own, in any case and form, with
 * white space around it.
 * @param {string} typed
 * @param {string} word of the page's language
 */
export function isConfirmed(typed, word) {
  /** @param {string} text */
  const plain = (text) => text.trim().normalize("NFKC").toLocaleLowerCase();
  return [plain(word), "delete"].includes(plain(typed));
}

/**
 * A line of a card: a key of the catalogue and a value; `mono` if it is an id.
 * @typedef {{key: string, value: string, mono?: boolean, secret?: boolean}} Fact
 */

/** The lines that have a value. @param {(Omit<Fact, "value"> & {value?: string})[]} lines @returns {Fact[]} */
const known = (lines) => lines.flatMap((line) => (line.value ? [{ ...line, value: line.value }] : []));

/** The lines of the account card. @param {Account} account */
export function accountFacts({ user }) {
  return known([
    { key: "account.name", value: user.display_name, secret: true },
    { key: "account.email", value: user.email, secret: true },
    { key: "account.phone", value: user.phone, secret: true },
    { key: "account.user_id", value: user.user_id, mono: true, secret: true },
    { key: "account.roles", value: user.roles?.join(", ") },
  ]);
}

/** The lines about the active profile. @param {Account} account */
export function profileFacts(account) {
  const active = account.active_profile;
  return known([
    { key: "account.profile", value: active ? profileName(active, account) : undefined },
    { key: "account.profile_id", value: active?.profile_id, mono: true, secret: true },
  ]);
}

/**
 * The seconds until an instant, 0 once it has passed, null when there is none.
 * @param {string | undefined} instant RFC 3339
 * @param {number} now milliseconds
 */
export function secondsUntil(instant, now) {
  const left = instant ? (Date.parse(instant) - now) / 1000 : Number.NaN;
  return Number.isFinite(left) ? Math.max(0, left) : null;
}
