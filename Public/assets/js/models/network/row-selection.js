// @ts-check
import { flag } from "./row-store.js";

/**
 * The rows to select: slots to toggle, with one more if none is selected yet, or the places of lines from and to which, and no
 * others.
 * @typedef {{slots: number[], beside?: number} | {from: number, to: number}} Choice
 */

/**
 * The totals of rows with a mark: their number, the bytes of their responses, and the time from the first one's start to the last
 * one's end, in milliseconds.
 * @param {import("./row-lines.js").RowLines} lines
 * @param {number} mark a bit of `flag`
 */
export function totals({ store }, mark) {
  const { columns: { flags, responseBytes, started, duration }, order, head } = store;
  let [count, bytes, first, last] = [0, 0, Infinity, -Infinity];
  for (let place = head; place < head + store.count; place += 1) {
    const slot = order[place] ?? 0;
    if (!((flags[slot] ?? 0) & mark)) continue;
    const start = started[slot] ?? 0;
    count += 1;
    bytes += responseBytes[slot] || 0;
    first = Math.min(first, start);
    last = Math.max(last, start + (duration[slot] || 0));
  }
  return { count, bytes, span: count ? last - first : 0 };
}

/** The rows that are chosen for an export; each row carries its mark, so it leaves with the row. */
export class RowSelection {
  #lines;

  /** @param {import("./row-lines.js").RowLines} lines */
  constructor(lines) {
    this.#lines = lines;
  }

  /** The ids of the chosen rows, in order. */
  get ids() {
    const { store } = this.#lines;
    /** @type {string[]} */
    const ids = [];
    for (let place = 0; place < store.count; place += 1) {
      const slot = store.slotAt(place);
      if ((store.columns.flags[slot] ?? 0) & flag.selected) ids.push(store.idOf(slot));
    }
    return ids;
  }

  /** The ids of the rows that pass, in the order of the log. */
  *shown() {
    const { store } = this.#lines;
    for (let place = 0; place < store.count; place += 1) {
      const slot = store.slotAt(place);
      if ((store.columns.flags[slot] ?? 0) & flag.passes) yield store.idOf(slot);
    }
  }

  /** Selects rows, or deselects them if all are selected. @param {number[]} slots @param {number} beside also selected as the first */
  toggle(slots, beside = -1) {
    const { flags } = this.#lines.store.columns;
    if (beside >= 0 && totals(this.#lines, flag.selected).count === 0) this.#mark(beside, true);
    const isOn = slots.some((slot) => !((flags[slot] ?? 0) & flag.selected));
    for (const slot of slots) this.#mark(slot, isOn);
  }

  /** Chooses the rows from one line to another, and no others. @param {number} from @param {number} to */
  range(from, to) {
    this.none();
    const [first, last] = [Math.max(0, Math.min(from, to)), Math.max(from, to)];
    for (let place = first; place <= last; place += 1) {
      const value = this.#lines.values[place] ?? -1;
      if (value >= 0) this.#mark(value, true);
    }
  }

  /** Chooses none. */
  none() {
    const { store } = this.#lines;
    for (let place = 0; place < store.count; place += 1) this.#mark(store.slotAt(place), false);
  }

  /** @param {number} slot @param {boolean} isOn */
  #mark(slot, isOn) {
    const { flags } = this.#lines.store.columns;
    flags[slot] = isOn ? (flags[slot] ?? 0) | flag.selected : (flags[slot] ?? 0) & ~flag.selected;
  }
}
