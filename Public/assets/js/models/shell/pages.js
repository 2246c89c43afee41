// @ts-check
/** The address of each page, by the command that goes there. @type {Record<string, string>} */
export const addresses = {
  go_network: "/network",
  go_timeline: "/timeline",
  go_recordings: "/recordings",
  go_team: "/team",
  go_inbox: "/inbox",
  go_cues: "/cues",
  go_profiles: "/profiles",
  go_settings: "/settings",
  go_login: "/login",
  go_deletion: "/delete-account",
};

/**
 * The page after a sign-in: the one on which it was requested, if that is one of the console's own, else Settings.
 * @param {string | null} wanted a path with its query
 */
export function pageAfterSignIn(wanted) {
  const [path = ""] = (wanted ?? "").split("?");
  const isOwn = path !== addresses.go_login && Object.values(addresses).includes(path);
  return wanted && isOwn ? wanted : "/settings";
}
