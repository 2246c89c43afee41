// @ts-check
/** @typedef {"refresh" | "account" | "profiles" | "cues" | "deletion" | "logout"} Feature */

/** The calls of a backend file without which a part of the pages is hidden. @type {Record<Feature, string[]>} */
const needed = {
  refresh: ["refresh_tokens"],
  account: ["me"],
  profiles: ["get_or_create_account_profile", "set_active_profile"],
  cues: ["get_cues"],
  deletion: ["request_account_deletion"],
  logout: ["logout"],
};

/**
 * Why a part of the pages is hidden: a key of the catalogue and its parameters.
 * @param {Feature} feature
 * @returns {{key: string, parameters: Record<string, string>}}
 */
export function whyHidden(feature) {
  const [call = "", other] = needed[feature];
  return other
    ? { key: "offer.missing_either", parameters: { call, other } }
    : { key: "offer.missing", parameters: { call } };
}
