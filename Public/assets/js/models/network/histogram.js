// @ts-check
/**
 * @typedef {import("./row-store.js").RowStore} RowStore
 * Rows by time: `all`, `failed` and `faulted` count those of each of `bins` equal parts from `start` to `end` (milliseconds).
 * @typedef {{start: number, end: number, all: Uint32Array, failed: Uint32Array, faulted: Uint32Array}} Histogram
 */

/** Counts the rows of a log by when they began. @param {RowStore} store @param {number} bins @returns {Histogram} */
export function histogram(store, bins) {
  const { started, state, status, source, fault } = store.columns;
  let [start, end] = [Infinity, -Infinity];
  for (let place = 0; place < store.count; place += 1) {
    const at = started[store.slotAt(place)] ?? 0;
    if (at < start) start = at;
    if (at > end) end = at;
  }
  const [all, failed, faulted] = [new Uint32Array(bins), new Uint32Array(bins), new Uint32Array(bins)];
  if (end < start) return { start: 0, end: 0, all, failed, faulted };
  end = Math.max(end, start + 1000);
  const scale = bins / (end - start + 1);
  for (let place = 0; place < store.count; place += 1) {
    const slot = store.slotAt(place);
    const bin = Math.floor(((started[slot] ?? start) - start) * scale);
    all[bin] = (all[bin] ?? 0) + 1;
    if (source[slot] === 2 || fault[slot]) faulted[bin] = (faulted[bin] ?? 0) + 1;
    else if (state[slot] === 3 || (status[slot] ?? 0) >= 400) failed[bin] = (failed[bin] ?? 0) + 1;
  }
  return { start, end, all, failed, faulted };
}

/**
 * The outline of counts as the `d` of an SVG path, in a box as wide as there are bins and 100 high; heights go by the square
 * root, so that a single failure is visible next to a burst.
 * @param {ArrayLike<number>} counts
 * @param {number} highest
 */
export function outline(counts, highest) {
  let path = "";
  for (let bin = 0; bin < counts.length; bin += 1) {
    const count = counts[bin] ?? 0;
    if (!count) continue;
    const height = Math.max(8, 100 * Math.sqrt(count / Math.max(highest, 1)));
    path += `M${bin + 0.1} 100V${(100 - height).toFixed(1)}H${bin + 0.9}V100Z`;
  }
  return path;
}

/** The filter term of a span of time. @param {number} from milliseconds @param {number} to milliseconds */
export const betweenTerm = (from, to) =>
  `between:${new Date(Math.floor(from)).toISOString()}..${new Date(Math.ceil(to)).toISOString()}`;
