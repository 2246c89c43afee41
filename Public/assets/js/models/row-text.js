// @ts-check
/** @typedef {import("./row-log.js").NetworkRow} NetworkRow */

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
  const names = ["dns", "connect", "tls", "wait", "receive"];
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
