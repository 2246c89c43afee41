// @ts-check
import { columnNamed } from "./columns.js";
import { flag } from "./row-store.js";

/**
 * @typedef {import("./row-store.js").RowStore} RowStore
 * @typedef {import("./row-store.js").Change} Change
 * The name of a column.
 * @typedef {{key: string, isDescending: boolean}} Order
 * Events were missed after the row with this `seq`, or the console ended there without saving its last rows.
 * @typedef {{after: number, at: number, missed: number | null, isEnd?: boolean}} Gap
 * What a line of the grid shows: a row, the head of a user action or of a call, or a notice.
 * @typedef {{kind: "row", slot: number, level: number} | {kind: "flow" | "call", id: number, isOpen: boolean, level: number}
 *   | {kind: "dropped"} | {kind: "gap", gap: Gap}} Line
 * @typedef {{count: number, failed: number, start: number, end: number, isRunning: boolean, last: number}} Summary
 */

const [flowKind, callKind, gapKind] = [1, 2, 3];
/** The columns of the store that hold the numbers of texts. */
const textColumns = ["method", "path", "host", "endpoint"];

/** The lines of the grid: the rows that match the filter, in groups, sorted or in order of arrival, with notices between them. */
export class RowLines {
  isGrouped = true;
  /** @type {Order | null} */
  order = null;
  /** Ids of folded flows and calls. @type {Set<string>} */
  folded = new Set();
  /** @type {Gap[]} */
  gaps = [];
  /** @type {(slot: number) => boolean} */
  test = () => true;
  /** How many rows pass. */
  shown = 0;
  count = 0;
  // A row is its slot; a group or notice is negative: -(4 · number + kind).
  values = new Int32Array(1024);
  /** Grows with each change, so that outdated drawings are detected. */
  version = 0;
  // Chains: the rows of a call, the calls of a flow, the flows.
  #nextRow = new Int32Array(0);
  firstRow = new Int32Array(0);
  lastRow = new Int32Array(0);
  nextCall = new Int32Array(0);
  firstCall = new Int32Array(0);
  lastCall = new Int32Array(0);
  /** @type {number[]} */
  #flows = [];
  /** @type {Map<number, {version: number, summary: Summary}>} */
  #summaries = new Map();

  /** @param {RowStore} store */
  constructor(store) {
    this.store = store;
  }

  /** Whether the lines are grouped; a sorted list has no groups. */
  get hasGroups() {
    return this.isGrouped && this.order === null;
  }

  /** Shows the rows that pass this test from now on. @param {(slot: number) => boolean} test */
  filter(test) {
    this.test = test;
    const { order, head, count, columns: { flags } } = this.store;
    for (let place = head; place < head + count; place += 1) {
      const slot = order[place] ?? 0;
      flags[slot] = ((flags[slot] ?? 0) & ~flag.passes) | (test(slot) ? flag.passes : 0);
    }
    this.layout();
  }

  /** Takes the changes of a merge and returns how many new rows are shown. @param {Change} change */
  take(change) {
    const { flags } = this.store.columns;
    let [added, isMoved] = [0, change.gone > 0 || !change.isInOrder || this.order !== null];
    for (const slot of change.updated) {
      const was = (flags[slot] ?? 0) & flag.passes;
      const is = this.test(slot) ? flag.passes : 0;
      flags[slot] = ((flags[slot] ?? 0) & ~flag.passes) | is;
      if (was !== is) isMoved = true;
    }
    const fresh = /** @type {number[]} */ ([]);
    for (const slot of change.added) {
      if (!this.store.columns.id[slot] || !this.test(slot)) continue;
      flags[slot] = (flags[slot] ?? 0) | flag.passes;
      added += 1;
      fresh.push(slot);
    }
    this.version += 1;
    if (isMoved || this.gaps.length || (this.hasGroups && fresh.length)) this.layout();
    else {
      for (const slot of fresh) this.#push(slot);
      this.shown += fresh.length;
    }
    return added;
  }

  /** Lays out every line again. */
  layout() {
    this.version += 1;
    [this.count, this.shown] = [0, 0];
    this.#summaries.clear();
    if (this.store.dropped && !this.order) this.#push(-gapKind);
    if (this.hasGroups) this.#layGroups();
    else this.#layFlat();
  }

  #layFlat() {
    const [{ store }, { flags, seq }] = [this, this.store.columns];
    let gap = 0;
    for (let place = 0; place < store.count; place += 1) {
      const slot = store.slotAt(place);
      if (!this.order) gap = this.#pushGaps(gap, seq[slot] ?? 0);
      if ((flags[slot] ?? 0) & flag.passes) {
        this.#push(slot);
        this.shown += 1;
      }
    }
    if (this.order) this.#sort(this.order);
    else this.#pushGaps(gap, Infinity);
  }

  /** @param {number} gap @param {number} seq */
  #pushGaps(gap, seq) {
    let next = gap;
    while (next < this.gaps.length && (this.gaps[next]?.after ?? 0) < seq) {
      next += 1;
      this.#push(-(4 * next + gapKind));
    }
    return next;
  }

  #layGroups() {
    const [{ store }, { flags, call, flow, seq }] = [this, this.store.columns];
    this.#prepare();
    for (let place = 0; place < store.count; place += 1) {
      const slot = store.slotAt(place);
      if (!((flags[slot] ?? 0) & flag.passes)) continue;
      this.shown += 1;
      const [callNumber, flowNumber] = [call[slot] ?? 0, flow[slot] ?? 0];
      this.#nextRow[slot] = -1;
      if ((this.firstRow[callNumber] ?? -1) >= 0) this.#nextRow[this.lastRow[callNumber] ?? 0] = slot;
      else {
        this.firstRow[callNumber] = slot;
        this.nextCall[callNumber] = 0;
        if (this.firstCall[flowNumber]) this.nextCall[this.lastCall[flowNumber] ?? 0] = callNumber;
        else {
          this.firstCall[flowNumber] = callNumber;
          this.#flows.push(flowNumber);
        }
        this.lastCall[flowNumber] = callNumber;
      }
      this.lastRow[callNumber] = slot;
    }
    let gap = 0;
    for (const number of this.#flows) {
      gap = this.#pushGaps(gap, seq[this.firstRow[this.firstCall[number] ?? 0] ?? 0] ?? 0);
      if (!this.isLone(number)) {
        this.#push(-(4 * number + flowKind));
        if (this.folded.size && this.folded.has(store.ids.text(number))) continue;
      }
      for (let one = this.firstCall[number] ?? 0; one; one = this.nextCall[one] ?? 0) {
        const first = this.firstRow[one] ?? 0;
        const isAlone = this.#nextRow[first] === -1;
        if (!isAlone) this.#push(-(4 * one + callKind));
        if (!isAlone && this.folded.size && this.folded.has(store.ids.text(one))) continue;
        for (let slot = first; slot >= 0; slot = this.#nextRow[slot] ?? -1) this.#push(slot);
      }
    }
    this.#pushGaps(gap, Infinity);
  }

  #prepare() {
    const { store } = this;
    this.#flows = [];
    if (this.#nextRow.length < store.size) this.#nextRow = new Int32Array(store.size);
    if (this.firstRow.length < store.ids.count) {
      const room = store.ids.count * 2;
      for (const name of /** @type {const} */ (["firstRow", "lastRow", "nextCall", "firstCall", "lastCall"])) {
        this[name] = new Int32Array(room);
      }
    }
    this.firstRow.fill(-1);
    this.firstCall.fill(0);
  }

  /** @param {number} value */
  #push(value) {
    if (this.count === this.values.length) {
      const larger = new Int32Array(this.values.length * 2);
      larger.set(this.values);
      this.values = larger;
    }
    this.values[this.count] = value;
    this.count += 1;
  }

  /** @param {Order} order */
  #sort(order) {
    const { sort } = columnNamed(order.key);
    if (!sort) return;
    const { columns: c, texts } = this.store;
    const lines = this.values.subarray(0, this.count);
    const direction = order.isDescending ? -1 : 1;
    /** @type {ArrayLike<number>} */
    let keys = c[sort];
    if (textColumns.includes(sort)) {
      const sorted = texts.texts.map((_, number) => number).toSorted((a, b) => texts.text(a) < texts.text(b) ? -1 : 1);
      const ranks = new Float64Array(sorted.length);
      sorted.forEach((number, rank) => ranks[number] = rank);
      const ranked = new Float64Array(this.store.size);
      for (const slot of lines) ranked[slot] = ranks[keys[slot] ?? 0] ?? 0;
      keys = ranked;
    }
    // Rows without a value come last in both directions.
    lines.sort((one, other) => {
      const [left, right] = [keys[one] ?? 0, keys[other] ?? 0];
      if (left === right || (Number.isNaN(left) && Number.isNaN(right))) return (c.seq[one] ?? 0) - (c.seq[other] ?? 0);
      if (Number.isNaN(left)) return 1;
      if (Number.isNaN(right)) return -1;
      return (left - right) * direction;
    });
  }

  /** @param {number} place @returns {Line} */
  line(place) {
    const value = this.values[place] ?? 0;
    if (value >= 0) return { kind: "row", slot: value, level: this.levelOf(value) };
    const [number, kind] = [-value >> 2, -value & 3];
    if (kind === gapKind) {
      const gap = number ? this.gaps[number - 1] : undefined;
      return gap ? { kind: "gap", gap } : { kind: "dropped" };
    }
    const isOpen = !this.folded.has(this.store.ids.text(number));
    return { kind: kind === flowKind ? "flow" : "call", id: number, isOpen, level: this.levelOf(value) };
  }

  /** Whether a user action has a single call, which then needs no group. @param {number} flow */
  isLone(flow) {
    return !this.nextCall[this.firstCall[flow] ?? 0];
  }

  /** How deep a line is in its groups, from 1. @param {number} value of the line */
  levelOf(value) {
    if (!this.hasGroups || (value < 0 && (-value & 3) !== callKind)) return 1;
    const { call, flow } = this.store.columns;
    const first = this.firstRow[value < 0 ? -value >> 2 : call[value] ?? 0] ?? -1;
    if (first < 0) return 2;
    return (this.isLone(flow[first] ?? 0) ? 1 : 2) + Number(value >= 0 && (this.#nextRow[first] ?? -1) >= 0);
  }

  /** The permanent key of a line, by which it is found wherever it is. @param {number} place */
  keyAt(place) {
    if (place < 0 || place >= this.count) return null;
    const line = this.line(place);
    if (line.kind === "row") return this.store.idOf(line.slot);
    if (line.kind === "gap") return `gap:${line.gap.at}`;
    return line.kind === "dropped" ? "dropped" : `${line.kind}:${this.store.ids.text(line.id)}`;
  }

  /** The place of a line, or -1 if it is not shown. @param {string | null} key */
  placeOf(key) {
    if (key === null) return -1;
    const [kind, rest] = key.includes(":")
      ? [key.slice(0, key.indexOf(":")), key.slice(key.indexOf(":") + 1)]
      : ["", key];
    let value = kind ? 0 : this.store.slotOf(key);
    if (!kind && key !== "dropped" && value < 0) return -1;
    if (key === "dropped") value = -gapKind;
    else if (kind === "gap") value = -(4 * (this.gaps.findIndex((one) => String(one.at) === rest) + 1) + gapKind);
    else if (kind) value = -(4 * this.store.ids.find(rest) + (kind === "flow" ? flowKind : callKind));
    return this.values.subarray(0, this.count).indexOf(value);
  }

  /** The slots of a group in order. @param {"flow" | "call"} kind @param {number} number */
  *slotsOf(kind, number) {
    for (let call = kind === "call" ? number : this.firstCall[number] ?? 0; call; call = this.nextCall[call] ?? 0) {
      for (let slot = this.firstRow[call] ?? -1; slot >= 0; slot = this.#nextRow[slot] ?? -1) yield slot;
      if (kind === "call") return;
    }
  }

  /** The totals of a group. @param {"flow" | "call"} kind @param {number} number @returns {Summary} */
  summary(kind, number) {
    const key = number * 4 + (kind === "flow" ? flowKind : callKind);
    const known = this.#summaries.get(key);
    if (known?.version === this.version) return known.summary;
    const { started, duration, state, status } = this.store.columns;
    const summary = { count: 0, failed: 0, start: Infinity, end: 0, isRunning: false, last: -1 };
    for (const slot of this.slotsOf(kind, number)) {
      const [from, isOpen] = [started[slot] ?? 0, (state[slot] ?? 0) < 2];
      summary.count += 1;
      if (state[slot] === 3 || (status[slot] ?? 0) >= 400) summary.failed += 1;
      summary.start = Math.min(summary.start, from);
      summary.end = Math.max(summary.end, from + (duration[slot] || 0));
      if (isOpen) summary.isRunning = true;
      summary.last = slot;
    }
    this.#summaries.set(key, { version: this.version, summary });
    return summary;
  }
}
