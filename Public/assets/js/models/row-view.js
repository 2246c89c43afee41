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
 * @property {string} path
 * @property {string} endpoint
 * @property {number} attempt from 1
 * @property {number} [status]
 * @property {"waiting"|"pending"|"success"|"failure"|"cancelled"} state
 * @property {string} [error]
 * @property {number} [duration_ms]
 * @property {number} [request_bytes]
 * @property {number} [response_bytes]
 * @property {"network"|"cache"|"fault"|"replay"} source
 * @property {string} [fault_id]
 * @property {boolean} [is_pinned]
 * @property {boolean} [is_redacted]
 */

/**
 * The colour role of a row's status; success is not news and stays plain.
 * @param {NetworkRow} row
 * @returns {"plain" | "info" | "warn" | "bad" | "violet" | "muted"}
 */
export function rowTone(row) {
  if (row.state === "pending" || row.state === "waiting") return "muted";
  if (row.source === "fault" || row.fault_id !== undefined) return "violet";
  if (row.status === undefined) return row.state === "success" ? "plain" : row.state === "cancelled" ? "muted" : "bad";
  if (row.status >= 500) return "bad";
  if (row.status >= 400) return "warn";
  return row.status >= 300 ? "info" : "plain";
}

/** The digits of a row's status, or the key of the word that stands for them. @param {NetworkRow} row */
export function statusLabel(row) {
  if (row.status !== undefined && row.state !== "pending" && row.state !== "waiting") {
    return { digits: String(row.status), key: null };
  }
  return { digits: null, key: `row.${row.state}` };
}

/**
 * A path cut in its middle so that its end, which tells calls apart, stays readable.
 * @param {string} path
 * @param {number} limit characters
 */
export function middleEllipsis(path, limit = 96) {
  if (path.length <= limit) return path;
  const head = Math.ceil((limit - 1) / 3);
  return `${path.slice(0, head)}…${path.slice(path.length - (limit - 1 - head))}`;
}

/**
 * The phases of an attempt as bars on one scale; a phase that was not measured has no bar and is said to be unknown.
 * @param {Record<string, number | undefined>} timings milliseconds by `dns_ms`, `connect_ms` and so on
 * @returns {{name: string, duration: number | undefined, start: number, share: number}[]} start and share in percent of the total
 */
export function timingBars(timings) {
  const names = ["queue", "dns", "connect", "tls", "send", "wait", "receive"];
  const sum = names.reduce((total, name) => total + (timings[`${name}_ms`] ?? 0), 0);
  const total = Math.max(timings.total_ms ?? 0, sum, Number.MIN_VALUE);
  let at = 0;
  return names.map((name) => {
    const duration = timings[`${name}_ms`];
    const bar = { name, duration, start: (at / total) * 100, share: ((duration ?? 0) / total) * 100 };
    at += duration ?? 0;
    return bar;
  });
}

/**
 * Where a bar lies on a scale, in percent of it; at least a sliver is seen.
 * @param {number} start milliseconds
 * @param {number} end milliseconds
 * @param {{start: number, end: number}} scale milliseconds
 */
export function barOn(start, end, scale) {
  const span = Math.max(scale.end - scale.start, 1);
  const from = Math.min(99, Math.max(0, ((start - scale.start) / span) * 100));
  return { from, share: Math.min(100 - from, Math.max(1, ((end - start) / span) * 100)) };
}

/** A span with its middle phase, as the waterfall draws it. @typedef {{from: number, share: number, wait: number}} Bar */
