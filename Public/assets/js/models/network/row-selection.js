// @ts-check
import { flag } from "./row-store.js";

/**
 * What to select: slots to toggle, or the places of lines from and to which, and no others.
 * @typedef {{slots: number[]} | {from: number, to: number}} Choice
 */

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

  /** Selects rows, or deselects them if all are selected. @param {number[]} slots */
  toggle(slots) {
    const { flags } = this.#lines.store.columns;
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
