// @ts-check
/**
 * One attempt of a call, as the console lists it.
 * @typedef {object} NetworkRow
 * @property {string} id
 * @property {number} seq never changes; orders the log
 * @property {number} rev grows with each update
 * @property {string} call_id
 * @property {string} [parent_id]
 * @property {string} flow_id
 * @property {string} flow
 * @property {string} started_at RFC 3339
 * @property {string} method
 * @property {string} [host] with its port, if it is not the usual one
 * @property {string} path
 * @property {string} [query] without `?`
 * @property {string} endpoint
 * @property {number} attempt from 1
 * @property {number} [status]
 * @property {"waiting"|"pending"|"success"|"failure"|"cancelled"} state
 * @property {string} [error]
 * @property {string} [error_detail]
 * @property {number} [duration_ms]
 * @property {number} [setup_ms] from its begin to the request's last byte
 * @property {number} [wait_ms] from then to the response's first byte
 * @property {number} [request_bytes]
 * @property {number} [response_bytes]
 * @property {"network"|"cache"|"fault"|"replay"|"composed"|"tool"} source
 * @property {string} [fault_id]
 * @property {import("./row-fault.js").RowFault} [fault]
 * @property {boolean} [is_pinned]
 * @property {boolean} [is_redacted]
 * @property {Drift[]} [drift] differences from the API description
 * @property {number} [drift_count] how many, if more than are listed
 */

/**
 * A difference from the API description.
 * @typedef {{where: "request" | "response", pointer: string, expected: string, got: string,
 *   kind: "missing" | "undocumented" | "invalid"}} Drift
 */

/** The states of a row, by number. */
export const states = /** @type {const} */ (["waiting", "pending", "success", "failure", "cancelled"]);
/** The sources of a row, by number. */
export const sources = /** @type {const} */ (["network", "cache", "fault", "replay", "composed", "tool"]);

/**
 * The color role of a row's status, for any source; success is `plain`.
 * @param {NetworkRow} row
 * @returns {"plain" | "info" | "warn" | "bad" | "muted"}
 */
export function rowTone(row) {
  if (row.state === "pending" || row.state === "waiting") return "muted";
  if (row.status === undefined) return row.state === "success" ? "plain" : row.state === "cancelled" ? "muted" : "bad";
  if (row.status >= 500 || isUndecodable(row)) return "bad";
  if (row.status >= 400) return "warn";
  return row.status >= 300 ? "info" : "plain";
}

/** Whether the app could not read the response, regardless of its HTTP status. @param {NetworkRow} row */
export const isUndecodable = (row) => row.state === "failure" && row.error === "unexpected_payload";

/** The errors in the place of a status, for rows without a response. */
const statusWords = new Set([
  "offline",
  "timeout",
  "connection_lost",
  "pin_mismatch",
  "tls_failed",
  "session_ended",
  "storage_full",
  "interrupted",
]);

/** The digits of a row's status, or the key of the word for it. @param {NetworkRow} row */
export function statusLabel(row) {
  if (row.status !== undefined && row.state !== "pending" && row.state !== "waiting") {
    return { digits: String(row.status), key: null };
  }
  const hasEnded = row.state === "failure" || row.error === "interrupted";
  const isNamed = hasEnded && row.error !== undefined && statusWords.has(row.error);
  return { digits: null, key: isNamed ? `row.error.${row.error}` : `row.${row.state}` };
}

/**
 * The gaps: rows that the page missed, and unexpected ends of the console; after one row, only the latter.
 * @param {import("./row-lines.js").Gap[]} gaps
 * @param {{after: number, at: string}[]} ends
 * @returns {import("./row-lines.js").Gap[]}
 */
export function withEnds(gaps, ends) {
  const own = gaps.filter((gap) => !gap.isEnd && ends.every((end) => end.after !== gap.after));
  const theirs = ends.map(({ after, at }) => ({ after, at: Date.parse(at), missed: null, isEnd: true }));
  return [...own, ...theirs].toSorted((one, other) => one.after - other.after);
}

/** The endpoint of a composed request without one. */
const noEndpoint = "composed";

/** The name of a row's endpoint if its path does not show it, else nothing. @param {NetworkRow} row */
export const endpointLabel = ({ endpoint, path }) =>
  endpoint === noEndpoint || endpoint === path || path.endsWith(`/${endpoint}`) ? "" : endpoint;

/** The most characters of a path where a title or a sentence names it. The URL and copies are whole. */
const longestPath = 80;

/** A path as titles and sentences show it. @param {string} path */
export const shortPath = (path) => path.length > longestPath ? `${path.slice(0, longestPath - 1)}…` : path;

/** The name of a call in titles and sentences. @param {{method: string, path: string}} row */
export const callName = ({ method, path }) => `${method} ${shortPath(path)}`;

/** The flows that have no name of their own, each with the key of its description. @type {Record<string, string>} */
const plainFlows = { compose: "row.source.composed", replay: "row.source.replay", fetch_document: "row.source.tool" };

/** The name of a flow. @param {string} flow @param {(key: string) => string} say */
export const flowName = (flow, say) => Object.hasOwn(plainFlows, flow) ? say(plainFlows[flow] ?? "") : flow;

/** A segment of a path with a digit, other than a version or the mask of a value, and an address anywhere. */
const personal = /((?<=\/)(?!‹|v\d{1,2}(?![^/\s?]))[^/\s?]*\d[^/\s?]*|[^/\s?]*(?:@|%40)[^/\s?]*)/i;

/** The parts of a text; each second one may be personal. @param {string} text */
export const personalParts = (text) => text.split(personal);

/** A text with dots in place of its personal parts. @param {string} text */
export const masked = (text) => personalParts(text).map((part, index) => (index % 2 ? "•••" : part)).join("");

/**
 * The active row after a key, or null if the key moves nothing.
 * @param {string} key of a keyboard event
 * @param {number} active the active place, -1 for none
 * @param {number} count
 * @param {number} page rows a page
 * @returns {number | null}
 */
export function moveActive(key, active, count, page) {
  if (count === 0) return null;
  /** @type {Record<string, number>} */
  const targets = {
    ArrowDown: active + 1,
    j: active + 1,
    ArrowUp: active < 0 ? count - 1 : active - 1,
    k: active < 0 ? count - 1 : active - 1,
    PageDown: active + page,
    PageUp: active - page,
    Home: 0,
    End: count - 1,
  };
  const target = Object.hasOwn(targets, key) ? targets[key] : undefined;
  return target === undefined ? null : Math.min(count - 1, Math.max(0, target));
}

/** @typedef {{start: number, end: number, offset: number, height: number}} RowWindow */

/** Rows drawn beyond each edge. */
const overscan = 8;

/**
 * The rows to draw of a list with fixed row height: from `start` up to `end`, `offset` pixels down.
 * @param {number} count
 * @param {number} rowHeight pixels
 * @param {number} scrollTop pixels
 * @param {number} viewport pixels
 * @returns {RowWindow}
 */
export function rowWindow(count, rowHeight, scrollTop, viewport) {
  const first = Math.floor(Math.max(0, scrollTop) / rowHeight);
  const visible = Math.ceil(viewport / rowHeight) + 1;
  const start = Math.max(0, Math.min(first, count - visible) - overscan);
  const end = Math.min(count, Math.max(first, 0) + visible + overscan);
  return { start, end: Math.max(start, end), offset: start * rowHeight, height: count * rowHeight };
}

/**
 * The height below the heading in which rows are seen, in pixels.
 * @param {{ clientHeight: number }} grid
 * @param {number} rowHeight
 */
export const viewportOf = (grid, rowHeight) => Math.max(0, grid.clientHeight - rowHeight);

/**
 * Whether a view is at the end of its list, within five pixels.
 * @param {number} scrollTop
 * @param {number} viewport
 * @param {number} height
 */
export const isAtEnd = (scrollTop, viewport, height) => scrollTop + viewport >= height - 5;

/**
 * Whether a grid is at its end now: when a banner is removed, the grid can scroll before its observer reports that it has grown.
 * @param {{ clientHeight: number, scrollTop: number }} grid
 * @param {number} rowHeight
 * @param {number} count of rows
 */
export const isGridAtEnd = (grid, rowHeight, count) => isAtEnd(grid.scrollTop, viewportOf(grid, rowHeight), count * rowHeight);

/**
 * The scroll position that brings a row into view with the least movement.
 * @param {number} index
 * @param {number} rowHeight
 * @param {number} scrollTop
 * @param {number} viewport
 */
export function scrollToRow(index, rowHeight, scrollTop, viewport) {
  const [top, bottom] = [index * rowHeight, (index + 1) * rowHeight];
  if (top < scrollTop) return top;
  return bottom > scrollTop + viewport ? bottom - viewport : scrollTop;
}
