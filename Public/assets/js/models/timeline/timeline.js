// @ts-check
/**
 * Something that happened to the device, as `GET /api/timeline` lists it.
 * @typedef {{seq: number, at: string, kind: "session" | "analytics" | "fault" | "clock", from?: string, to?: string,
 *   name?: string, fault_name?: string, preset?: string, reason?: string, row_id?: string}} Entry
 * @typedef {{entry: Entry, since: number | null}} Listed `since` is the time since the entry before, in milliseconds
 * @typedef {{from: string, to: string, times: number, last: Entry | null, isExpected: boolean}} Transition
 * @typedef {{x: number, y: number}} Point
 * @typedef {{state: string, x: number, y: number}} Node `x` and `y` of the box's corner
 * @typedef {{key: "access" | "refresh", start: number | null, end: number, dueAt: number | null}} Lifetime milliseconds
 */

/** The kinds of entries, in the order of their filters. */
export const kinds = /** @type {const} */ (["session", "fault", "clock", "analytics"]);

/** The kinds that an address names, or all of them if it names none. @param {string | null} text @returns {Set<string>} */
export function readKinds(text) {
  const named = (text ?? "").split(",").filter((one) => kinds.some((kind) => kind === one));
  return new Set(named.length ? named : kinds);
}

/** The kinds as the address lists them, or null if all are shown. @param {Set<string>} shown */
export const writeKinds = (shown) =>
  shown.size === 0 || shown.size === kinds.length ? null : kinds.filter((kind) => shown.has(kind)).join(",");

/**
 * The entries of these kinds, the newest first, each with the milliseconds since the entry before it, whatever that one's kind.
 * @param {Entry[]} entries oldest first
 * @param {Set<string>} shown
 */
export const listed = (entries, shown) =>
  entries
    .map((entry, at) => {
      const before = entries[at - 1];
      return { entry, since: before ? Math.max(0, Date.parse(entry.at) - Date.parse(before.at)) : null };
    })
    .filter(({ entry }) => shown.has(entry.kind))
    .toReversed();

/**
 * Equal neighbors of a list, grouped.
 * @param {Listed[]} found
 * @returns {Listed[][]}
 */
export function folds(found) {
  /** @type {Listed[][]} */
  const all = [];
  for (const one of found) {
    const last = all.at(-1);
    if (last?.[0] && isSame(last[0].entry, one.entry)) last.push(one);
    else all.push([one]);
  }
  return all;
}

/** Whether entries are equal except for their time and request. @param {Entry} one @param {Entry} other */
const isSame = (one, other) =>
  one.kind === other.kind && one.from === other.from && one.to === other.to && one.reason === other.reason &&
  one.preset === other.preset && one.fault_name === other.fault_name &&
  (one.preset !== undefined || one.name === other.name);

/**
 * The state of a fault: armed, at work, or disarmed.
 * @typedef {"armed" | "acted" | "disarmed" | "expired" | "spent" | "removed"} FaultEvent
 */

/** The event of an entry of the kind `fault`. @param {Pick<Entry, "from" | "to">} entry @returns {FaultEvent} */
export function faultEvent({ from, to }) {
  if (to === "armed" || to === "expired" || to === "spent") return to;
  if (to === "off") return "disarmed";
  // An armed fault that was removed was disarmed; one that was off was only removed from the list.
  if (to === "removed") return from === "armed" ? "disarmed" : "removed";
  return "acted";
}

/** The states of a session, as the machine has them. */
export const states = ["signed_out", "authenticated", "refreshing", "error"];

// A restart continues with a refresh of the stored tokens; a login after a failed refresh leads straight on.
const expected = [
  ["signed_out", "authenticated"],
  ["signed_out", "refreshing"],
  ["authenticated", "refreshing"],
  ["authenticated", "signed_out"],
  ["refreshing", "authenticated"],
  ["refreshing", "error"],
  ["refreshing", "signed_out"],
  ["error", "refreshing"],
  ["error", "signed_out"],
];

/**
 * Every transition of the machine with how often it was seen, then those that were seen and are not of it.
 * @param {Entry[]} entries oldest first
 * @returns {Transition[]}
 */
export function transitions(entries) {
  const found = expected.map(([from = "", to = ""]) => {
    /** @type {Transition} */
    const transition = { from, to, times: 0, last: null, isExpected: true };
    return transition;
  });
  for (const entry of entries) {
    const { kind, from, to } = entry;
    if (kind !== "session" || !from || !to) continue;
    let transition = found.find((one) => one.from === from && one.to === to);
    if (!transition) {
      transition = { from, to, times: 0, last: null, isExpected: from === "error" && to === "authenticated" };
      found.push(transition);
    }
    transition.times += 1;
    transition.last = entry;
  }
  return found;
}

/** The measures of the drawing. */
export const drawing = { width: 400, height: 240, boxWidth: 138, boxHeight: 54 };

/** The positions of the states, mirrored if text runs from right to left. @param {boolean} isRightToLeft @returns {Node[]} */
export function places(isRightToLeft) {
  const { width, height, boxWidth, boxHeight } = drawing;
  const [near, far] = isRightToLeft ? [width - boxWidth - 2, 2] : [2, width - boxWidth - 2];
  const [top, bottom] = [2, height - boxHeight - 2];
  return [
    { state: "signed_out", x: near, y: top },
    { state: "authenticated", x: far, y: top },
    { state: "refreshing", x: far, y: bottom },
    { state: "error", x: near, y: bottom },
  ];
}

/**
 * The line of a transition from box to box, next to that of the way back, with its arrow's head and the place of its number; or
 * null if a state is not drawn.
 * @param {Node[]} nodes
 * @param {string} from
 * @param {string} to
 * @returns {{line: [Point, Point], head: [Point, Point, Point], middle: Point} | null}
 */
export function arrow(nodes, from, to) {
  const [one, other] = [from, to].map((state) => nodes.find((node) => node.state === state));
  if (!one || !other || one === other) return null;
  const { boxWidth, boxHeight } = drawing;
  const [a, b] = [one, other].map((node) => ({ x: node.x + boxWidth / 2, y: node.y + boxHeight / 2 }));
  if (!a || !b) return null;
  const length = Math.hypot(b.x - a.x, b.y - a.y);
  const [ux, uy] = [(b.x - a.x) / length, (b.y - a.y) / length];
  // To the same side of its own direction, so that the two ways between a pair never lie on each other.
  const [sx, sy] = [-uy * 13, ux * 13];
  /** The distance from the middle of a box to its border, along the line. @param {Point} shift */
  const reach = (shift) => {
    const across = ux === 0 ? Infinity : (boxWidth / 2 - Math.sign(ux) * shift.x) / Math.abs(ux);
    const down = uy === 0 ? Infinity : (boxHeight / 2 - Math.sign(uy) * shift.y) / Math.abs(uy);
    return Math.min(across, down);
  };
  const leave = reach({ x: sx, y: sy }) + 3;
  const arrive = length - reach({ x: -sx, y: -sy }) - 4;
  /** @param {number} along @param {number} [aside] @returns {Point} */
  const at = (along, aside = 0) => ({
    x: round(a.x + sx + ux * along - uy * aside),
    y: round(a.y + sy + uy * along + ux * aside),
  });
  return {
    line: [at(leave), at(arrive - 7)],
    head: [at(arrive), at(arrive - 9, 5), at(arrive - 9, -5)],
    // Off the middle, where the two diagonals cross.
    middle: at(leave + (arrive - leave) * (ux !== 0 && uy !== 0 ? 0.3 : 0.5)),
  };
}

/** @param {number} value */
const round = (value) => Math.round(value * 10) / 10;

/**
 * The lifetimes of the tokens that a session holds; `dueAt` is when the client refreshes by itself, the margin ahead of expiry
 * but at most a tenth of the lifetime.
 * @param {import("../shell/console-state.js").Session} session
 * @param {number} [marginSeconds]
 * @returns {Lifetime[]}
 */
export function lifetimes(session, marginSeconds = 120) {
  const issued = Date.parse(session.tokens_issued_at ?? "");
  const start = Number.isFinite(issued) ? issued : null;
  /** @type {[Lifetime["key"], string | undefined][]} */
  const tokens = [["access", session.access_expires_at], ["refresh", session.refresh_expires_at]];
  return tokens.flatMap(([key, text]) => {
    const end = Date.parse(text ?? "");
    if (!Number.isFinite(end)) return [];
    const dueAt = key === "access" && start !== null && end > start
      ? end - Math.min(marginSeconds * 1000, (end - start) / 10)
      : null;
    return [{ key, start, end, dueAt }];
  });
}

/** The part of a lifetime that has passed, from 0 to 1; or null if its start is unknown. @param {Lifetime} life @param {number} now */
export function partPassed({ start, end }, now) {
  if (start === null || end <= start) return null;
  return Math.min(1, Math.max(0, (now - start) / (end - start)));
}
