// @ts-check
/**
 * @typedef {{person_id: string, name: string, role: "viewer" | "tester" | "owner"}} Person
 * @typedef {Person & {is_fixed: boolean, created_at: string, seen_at: string}} ListedPerson
 * @typedef {{lease_id: string, identifier: string, person: string, until: string, is_mine: boolean}} Lease
 * @typedef {{workspace_id: string, name: string, access: "read" | "write" | "manage", is_own: boolean}} Workspace
 * @typedef {{person_id: string, name: string, access: "read" | "write" | "manage"}} Member
 * @typedef {{entry: number, at: string, person: string, action: string, client: string, status?: number}} Change
 */

/** For how long an account can be taken, in minutes. */
export const leaseMinutes = [30, 60, 120, 240, 480];

/** For how long a link to a workspace can be valid, in hours. */
export const linkHours = [1, 24, 168, 720];

/** How many changes the page shows. */
export const shownChanges = 100;

/** The address of a workspace link. @param {string} origin @param {string} token */
export const joinLink = (origin, token) => `${origin}/team#join=${encodeURIComponent(token)}`;

/** The token of an address that {@link joinLink} made, or null. @param {string} hash */
export function joinToken(hash) {
  const token = new URLSearchParams(hash.replace(/^#/, "")).get("join");
  return token || null;
}

/** A length of time in words, in the language. @param {number} minutes @param {string} language */
export function spokenTime(minutes, language) {
  const [days, hours] = [Math.floor(minutes / 1440), Math.floor((minutes % 1440) / 60)];
  return new Intl.DurationFormat(language, { style: "long" }).format({ days, hours, minutes: minutes % 60 });
}

/** The entries of JSON lines, newest first; a line that cannot be read is left out. @param {string} text @returns {Change[]} */
export const changesOf = (text) =>
  text.split("\n").filter(Boolean).flatMap((line) => {
    try {
      return [JSON.parse(line)];
    } catch {
      return [];
    }
  }).toReversed();

/** The buttons of a workspace; a viewer manages none. @param {Workspace} workspace @param {Person["role"]} role */
export const actionsOf = ({ access, is_own: isOwn }, role) => {
  const manages = access === "manage" && !isOwn && role !== "viewer";
  return { share: manages, members: !isOwn, remove: manages, leave: access !== "manage" && !isOwn, delete: manages };
};
