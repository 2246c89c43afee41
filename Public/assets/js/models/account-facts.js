// @ts-check
/** @typedef {import("./console-state.js").User} User */
/**
 * @typedef {{profile_id: string, language_code: string, display_name?: string}} Profile
 * @typedef {{user: User, profiles?: Profile[], active_profile?: Profile | null,
 *   config?: import("./console-state.js").AppConfig | null, source?: string}} Account
 */

/** The endonym of a language by its code; the code where none is known. @param {string} code @param {Account} account */
export function languageName(code, account) {
  const named = account.config?.supported_languages?.find((one) => one.code === code)?.name;
  if (named) return named;
  try {
    return new Intl.DisplayNames([code], { type: "language" }).of(code) ?? code;
  } catch {
    return code;
  }
}

/**
 * The lines of the account card: a key of the catalogue and a value; `mono` where it is an id. Lines without a value are left out.
 * @param {Account} account
 * @returns {{key: string, value: string, mono?: boolean}[]}
 */
export function accountFacts(account) {
  const { user } = account;
  const active = account.active_profile;
  const lines = [
    { key: "account.name", value: user.display_name },
    { key: "account.email", value: user.email },
    { key: "account.phone", value: user.phone },
    { key: "account.user_id", value: user.user_id, mono: true },
    { key: "account.roles", value: user.roles?.join(", ") },
    {
      key: "account.profile",
      value: active ? active.display_name ?? languageName(active.language_code, account) : undefined,
    },
    { key: "account.profile_id", value: active?.profile_id, mono: true },
    { key: "account.languages", value: account.config?.supported_languages?.map((one) => one.name).join(", ") },
  ];
  return lines.flatMap((line) => (line.value ? [{ ...line, value: line.value }] : []));
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
