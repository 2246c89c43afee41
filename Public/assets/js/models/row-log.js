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
 */

/** A bounded log of rows in the order of `seq`, and the part of it that a filter lets through. */
export class RowLog {
  /** @param {number} capacity */
  constructor(capacity = 2000) {
    this.capacity = capacity;
    /** @type {Map<string, NetworkRow>} */
    this.byId = new Map();
    /** @type {NetworkRow[]} */
    this.rows = [];
    /** The rows that the filter lets through, in order. @type {NetworkRow[]} */
    this.shown = [];
    /** How many rows were dropped as the oldest, here and at the server. */
    this.dropped = 0;
    /** @type {(row: NetworkRow) => boolean} */
    this.test = () => true;
  }

  /** The highest sequence number seen, 0 for none. */
  get lastSequence() {
    return this.rows.at(-1)?.seq ?? 0;
  }

  /**
   * Takes rows, newer revisions in place of older ones.
   * @param {NetworkRow[]} incoming
   * @returns {{added: number, trimmed: number}} rows new in `shown`, and rows that left its front
   */
  merge(incoming) {
    let added = 0;
    let isRefiltered = false;
    for (const row of incoming) {
      const old = this.byId.get(row.id);
      if (old && old.rev >= row.rev) continue;
      this.byId.set(row.id, row);
      if (old) {
        this.rows[this.find(this.rows, old.seq)] = row;
        const place = this.find(this.shown, old.seq);
        const isThere = this.shown[place]?.id === row.id;
        if (isThere && this.test(row)) this.shown[place] = row;
        else if (isThere || this.test(row)) isRefiltered = true;
        continue;
      }
      this.rows.splice(this.find(this.rows, row.seq), 0, row);
      if (this.test(row)) {
        this.shown.splice(this.find(this.shown, row.seq), 0, row);
        added += 1;
      }
    }
    if (isRefiltered) this.shown = this.rows.filter(this.test);
    return { added, trimmed: this.trim() };
  }

  /** @returns {number} how many left the front of `shown` */
  trim() {
    const surplus = this.rows.length - this.capacity;
    if (surplus <= 0) return 0;
    const gone = this.rows.splice(0, surplus);
    for (const row of gone) this.byId.delete(row.id);
    this.dropped += surplus;
    const oldest = this.rows[0]?.seq ?? Infinity;
    const trimmed = this.find(this.shown, oldest);
    this.shown.splice(0, trimmed);
    return trimmed;
  }

  /** Puts a fresh snapshot in place of everything. @param {NetworkRow[]} rows @param {number} capacity @param {number} dropped */
  replace(rows, capacity, dropped) {
    this.capacity = Math.max(1, capacity || this.capacity);
    this.byId.clear();
    this.rows = [];
    this.shown = [];
    this.dropped = dropped || 0;
    this.merge(rows);
  }

  /** Shows the rows that pass this test from now on. @param {(row: NetworkRow) => boolean} test */
  filter(test) {
    this.test = test;
    this.shown = this.rows.filter(test);
  }

  /** The place of a row among the shown ones, -1 when it is not shown. @param {string | null} id */
  indexOf(id) {
    const row = id === null ? undefined : this.byId.get(id);
    if (!row) return -1;
    const place = this.find(this.shown, row.seq);
    return this.shown[place]?.id === id ? place : -1;
  }

  /** The first place whose sequence number is not below this one. @param {NetworkRow[]} rows @param {number} seq */
  find(rows, seq) {
    let [low, high] = [0, rows.length];
    if (high && (rows[high - 1]?.seq ?? 0) < seq) return high;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((rows[middle]?.seq ?? 0) < seq) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/**
 * Where a key moves the active row; null when the key moves nothing.
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

/** @typedef {{start: number, end: number, offset: number, height: number}} RowWindow */

/**
 * The rows to draw of a list with fixed row height: from `start` up to `end`, `offset` pixels down.
 * @param {number} count
 * @param {number} rowHeight pixels
 * @param {number} scrollTop pixels
 * @param {number} viewport pixels
 * @param {number} overscan rows drawn beyond each edge
 * @returns {RowWindow}
 */
export function rowWindow(count, rowHeight, scrollTop, viewport, overscan = 8) {
  const first = Math.floor(Math.max(0, scrollTop) / rowHeight);
  const visible = Math.ceil(viewport / rowHeight) + 1;
  const start = Math.max(0, Math.min(first, count - visible) - overscan);
  const end = Math.min(count, Math.max(first, 0) + visible + overscan);
  return { start, end: Math.max(start, end), offset: start * rowHeight, height: count * rowHeight };
}

/**
 * Whether a view stands at the end of its list, within five pixels.
 * @param {number} scrollTop
 * @param {number} viewport
 * @param {number} height
 */
export const isAtEnd = (scrollTop, viewport, height) => scrollTop + viewport >= height - 5;

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
