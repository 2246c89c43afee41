// @ts-check
import { announce, delay } from "../../helpers/dom.js";
import { clockTime, t } from "../../helpers/i18n.js";

/**
 * How many rows are missing between two: sequence numbers have no holes, so if one remains, an event was lost.
 * @param {import("./network-grid.js").NetworkGrid} grid
 * @param {number} last the last number before the hole
 * @param {number} next the first one after it
 * @param {AbortSignal} signal
 */
export async function missingRows(grid, last, next, signal) {
  await delay(1000, signal);
  const { store, lines } = grid;
  const missing = next - last - 1 - (store.placeOf(next) - store.placeOf(last + 1));
  const isKnown = lines.gaps.some((gap) => gap.after === last);
  const isHere = store.count > 0 && store.firstSequence <= last && store.lastSequence >= next;
  return !signal.aborted && !isKnown && isHere ? Math.max(0, missing) : 0;
}

/**
 * Records that events were missed.
 * @param {import("../../models/network/row-lines.js").RowLines} lines
 * @param {number | null} missed how many, if that is known
 * @param {number} after the number of the last row before them
 */
export function noteGap(lines, missed, after) {
  // If the number is unknown, the console was restarted, and its log with it.
  if (missed === null) lines.gaps = [];
  lines.gaps.push({ after: missed === null ? 0 : after, at: Date.now(), missed });
  lines.gaps.sort((one, other) => one.after - other.after);
  announce(t("network.gap", { time: clockTime(Date.now()) }));
}
