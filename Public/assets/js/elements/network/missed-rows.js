// @ts-check
import { call } from "../../api.js";
import { announce, delay } from "../../helpers/dom.js";
import { clockTime, t } from "../../helpers/i18n.js";

/**
 * Tells how many rows are missing between two: if a hole remains in the sequence numbers, an event was lost. The console itself leaves
 * a hole where it may have ended without saving its last rows.
 * @param {import("./network-grid.js").NetworkGrid} grid
 * @param {number} last the last number before the hole
 * @param {number} next the first one after it
 * @param {AbortSignal} signal
 * @param {(missing: number) => void} tell
 */
export async function missingRows(grid, last, next, signal, tell) {
  await delay(1000, signal);
  const { store, lines } = grid;
  const missing = next - last - 1 - (store.placeOf(next) - store.placeOf(last + 1));
  const isKnown = lines.gaps.some((gap) => gap.after === last);
  const isHere = store.count > 0 && store.firstSequence <= last && store.lastSequence >= next;
  if (signal.aborted || isKnown || !isHere || missing <= 0) return;
  const { events } = await call("GET", `/api/network?after=${last}&limit=1`, { signal }).catch(() => ({ events: [] }));
  if (events[0]?.seq < next) tell(missing);
}

/**
 * Records that events were missed.
 * @param {import("../../models/network/row-lines.js").RowLines} lines
 * @param {number | null} missed how many, if that is known
 * @param {number} after the number of the last row before them
 */
export function noteGap(lines, missed, after) {
  // If the number is unknown, the console was restarted: a saved log is complete again.
  if (missed === null && lines.store.isKept) return;
  if (missed === null) lines.gaps = [];
  lines.gaps.push({ after: missed === null ? 0 : after, at: Date.now(), missed });
  lines.gaps.sort((one, other) => one.after - other.after);
  announce(t("network.gap", { time: clockTime(Date.now()) }));
}
