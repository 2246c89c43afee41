// @ts-check
import { pagesOf } from "./recordings.js";

/**
 * The response of `GET /api/recordings/{id}/compare`.
 * @typedef {"missing" | "added" | "reordered" | "outcome" | "attempts" | "shape" | "timing"} Kind
 * @typedef {{file: string, calls: number, attempts: number}} Side
 * @typedef {{flow?: string, method: string, path: string, first?: number, second?: number, first_row?: string, second_row?: string}} Call
 * @typedef {{missing: string[], additional: string[],
 *   changed: {place: string, kinds: string[], reference_kinds: string[]}[]}} Shape
 * @typedef {import("../network/row-fault.js").RowFault} RowFault
 * @typedef {{kind: Kind, call: Call, first?: string, second?: string, first_fault?: RowFault, second_fault?: RowFault, shape?: Shape,
 *   timing?: {median: number, reference_median: number}}} Difference
 * @typedef {{first: Side, second: Side, is_equal: boolean, differences: Difference[]}} Comparison
 * A call with all its differences, or the responses of an endpoint with a status.
 * @typedef {{call: Call, status: string | null, differences: Difference[]}} Line
 */

/** The id of the device's live log. */
export const live = "live";

/** Every kind, in the order of the filter. @type {Kind[]} */
const kinds = ["missing", "added", "reordered", "outcome", "attempts", "shape", "timing"];

/** The kinds that concern all responses of an endpoint. */
const ofEndpoint = new Set(["shape", "timing"]);

/** The address of a comparison. @param {string} first @param {string} second the id of a recording, or `live` */
export const comparePage = (first, second) => `/recordings?${new URLSearchParams({ compare: first, with: second })}`;

/** The path of the call that compares. @param {string} first @param {string} second */
export const comparePath = (first, second) =>
  `/api/recordings/${encodeURIComponent(first)}/compare?${new URLSearchParams({ with: second })}`;

/** The path of the call that reads a row. @param {string} log the id of a recording, or `live` @param {string} row */
export const rowPathIn = (log, row) =>
  `/api/${log === live ? "" : `recordings/${encodeURIComponent(log)}/`}network/${encodeURIComponent(row)}`;

/** The page that shows a log, or a row of it. @param {string} log @param {string} [row] */
export function logPage(log, row) {
  const page = log === live ? "/network" : pagesOf(log).network;
  return row === undefined ? page : `${page}${log === live ? "?" : "&"}row=${encodeURIComponent(row)}`;
}

/** The key of a line. @param {Difference} difference */
const keyOf = ({ kind, call, first }) =>
  ofEndpoint.has(kind) ? `${call.method} ${call.path} ${first}` : `${call.first ?? ""}/${call.second ?? ""}`;

/**
 * The differences by call, in the order of the first log; calls of the second log only are at the place of their call.
 * @param {Difference[]} differences
 * @returns {Line[]}
 */
export function linesOf(differences) {
  /** @type {Map<string, Line>} */
  const lines = new Map();
  for (const difference of differences) {
    const key = keyOf(difference);
    const line = lines.get(key) ??
      { call: difference.call, status: ofEndpoint.has(difference.kind) ? difference.first ?? null : null, differences: [] };
    line.differences.push(difference);
    lines.set(key, line);
  }
  const ours = placesOf(differences, "missing", "first");
  const theirs = placesOf(differences, "added", "second");
  // How many calls that both have come before.
  const rank = (/** @type {Line} */ { call: { first, second } }) =>
    first === undefined ? (second ?? 1) - 1 - before(theirs, second ?? 1) : first - 1 - before(ours, first);
  const turn = (/** @type {Line} */ { call, status }) =>
    status !== null ? 3 : call.second === undefined ? 0 : call.first === undefined ? 1 : 2;
  return [...lines.values()].map((line) => ({ line, rank: rank(line), turn: turn(line) }))
    .toSorted((one, other) => one.rank - other.rank || one.turn - other.turn).map(({ line }) => line);
}

/** @param {Difference[]} differences @param {Kind} kind @param {"first" | "second"} side */
const placesOf = (differences, kind, side) =>
  differences.filter((one) => one.kind === kind).map(({ call }) => call[side] ?? 0).toSorted((one, other) => one - other);

/** How many of ascending numbers are less than one. @param {number[]} places @param {number} limit */
function before(places, limit) {
  let [low, high] = [0, places.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((places[middle] ?? 0) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** How many differences there are of each kind that occurs. @param {Difference[]} differences @returns {[Kind, number][]} */
export const countsOf = (differences) =>
  kinds.map((kind) => /** @type {[Kind, number]} */ ([kind, differences.filter((one) => one.kind === kind).length]))
    .filter(([, count]) => count > 0);

/**
 * The lines with a difference of a kind, and those differences alone; all of them without a kind.
 * @param {Line[]} lines
 * @param {string} kind
 */
export const ofKind = (lines, kind) =>
  kind
    ? lines.map((line) => ({ ...line, differences: line.differences.filter((one) => one.kind === kind) }))
      .filter((line) => line.differences.length)
    : lines;

/** The end of a call: its status or none, and the response's source. @param {string} outcome such as `200 from cache` */
export function outcomeOf(outcome) {
  const [status = "", source = ""] = outcome.split(" from ");
  return { status: /^\d+$/.test(status) ? status : null, source };
}

/** Whether a call renews the tokens. @param {Call} call */
export const isRefresh = ({ path }) => /\/refresh[_-]tokens?$/.test(path);
