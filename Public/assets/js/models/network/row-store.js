// @ts-check
import { endpointLabel, sources, states } from "./row-view.js";
import { columns, IdTable, TextTable } from "./row-tables.js";

/** @typedef {import("./row-view.js").NetworkRow} NetworkRow */

/** The bits of `flags`. */
export const flag = { pinned: 1, selected: 2, redacted: 4, passes: 8, drift: 16, driftMissing: 32 };

/** The bits about drift. @param {NetworkRow} row */
const driftFlags = ({ drift }) =>
  drift?.length ? flag.drift | (drift.some((one) => one.kind !== "invalid") ? flag.driftMissing : 0) : 0;

/**
 * The changes of a merge: slots of new and of updated rows, and the number of evicted ones.
 * @typedef {{added: number[], updated: number[], gone: number, isInOrder: boolean}} Change
 */

/** A port that the system chose, such as that of the built-in backend, which differs from start to start. */
const chosenPort = /(?<=^127\.0\.0\.1):\d{5}$/;

/**
 * A bounded log of rows in the order of `seq`. The rows are columns of numbers, their texts once each, so that a hundred thousand
 * cost little and a filter walks plain arrays. A row keeps its slot as long as it is there.
 */
export class RowStore {
  #capacity;
  columns = columns(1024);
  size = 1024;
  texts = new TextTable();
  ids = new IdTable();
  /** Grows whenever texts and ids get new numbers. */
  generation = 0;
  /** The slots in the order of `seq`, from `head` on. */
  order = new Int32Array(2048);
  head = 0;
  count = 0;
  /** @type {number[]} */
  #free = [];
  #used = 0;
  /** The host of the last row, as long as it is the only one. */
  #host = "";
  /** The slot of a row by the number of its id, plus 1. */
  #slots = new Uint32Array(2048);
  /** How many rows gave way to later ones, here and at the console. */
  dropped = 0;
  /** Whether the console saves evicted rows, so that they can be read again. */
  isKept = false;
  /** The rare columns that rows call for: endpoints that paths do not show, and several hosts. @type {readonly string[]} */
  varied = [];
  /** After which rows the console ended unexpectedly. @type {{after: number, at: string}[]} */
  ends = [];

  /** @param {number} capacity rows */
  constructor(capacity = 2000) {
    this.#capacity = capacity;
  }

  /** The highest sequence number that is held, 0 for none. */
  get lastSequence() {
    return this.count ? this.columns.seq[this.slotAt(this.count - 1)] ?? 0 : 0;
  }

  /** The slot of the row at this place. @param {number} place */
  slotAt(place) {
    return this.order[this.head + place] ?? 0;
  }

  /** The slot of a row, -1 when it is not there. @param {string | null} id */
  slotOf(id) {
    return id === null ? -1 : (this.#slots[this.ids.find(id)] ?? 0) - 1;
  }

  /** The id of a row by its id or its `seq`. @param {string} name */
  idNamed(name) {
    if (!/^\d+$/.test(name)) return name;
    const place = this.placeOf(Number(name));
    const slot = this.slotAt(place);
    return place < this.count && this.columns.seq[slot] === Number(name) ? this.idOf(slot) : name;
  }

  /** The id of the row in this slot. @param {number} slot */
  idOf(slot) {
    return this.ids.text(this.columns.id[slot] ?? 0);
  }

  /**
   * Takes rows, newer revisions in place of older ones, and evicts the oldest.
   * @param {NetworkRow[]} incoming
   * @returns {Change}
   */
  merge(incoming) {
    /** @type {Change} */
    const change = { added: [], updated: [], gone: 0, isInOrder: true };
    for (const row of incoming) {
      const number = this.ids.add(row.id);
      const known = (this.#slots[number] ?? 0) - 1;
      if (known >= 0) {
        if ((this.columns.rev[known] ?? 0) >= row.rev) continue;
        this.#write(known, row, number);
        change.updated.push(known);
        continue;
      }
      // A row that was evicted as the oldest is not added again.
      if (this.dropped && this.count >= this.#capacity && row.seq < this.firstSequence) continue;
      const slot = this.#free.pop() ?? this.#grow();
      this.columns.flags[slot] = 0;
      this.#write(slot, row, number);
      this.#setSlot(number, slot);
      if (!this.#insert(slot, row.seq)) change.isInOrder = false;
      change.added.push(slot);
      if (this.count > this.#capacity) {
        this.#dropOldest();
        change.gone += 1;
      }
    }
    if (this.texts.count + this.ids.count > 8192 + 8 * Math.max(this.count, 1024)) this.#compact();
    return change;
  }

  /** The lowest sequence number of a row that may go. */
  get firstSequence() {
    const place = this.#oldest();
    return place < 0 ? 0 : this.columns.seq[this.slotAt(place)] ?? 0;
  }

  #oldest() {
    for (let place = 0; place < this.count; place += 1) {
      if (!((this.columns.flags[this.slotAt(place)] ?? 0) & flag.pinned)) return place;
    }
    return -1;
  }

  #dropOldest() {
    const place = Math.max(0, this.#oldest());
    const slot = this.slotAt(place);
    this.order.copyWithin(this.head + 1, this.head, this.head + place);
    [this.head, this.count, this.dropped] = [this.head + 1, this.count - 1, this.dropped + 1];
    this.#slots[this.columns.id[slot] ?? 0] = 0;
    this.columns.id[slot] = 0;
    this.columns.flags[slot] = 0;
    this.#free.push(slot);
  }

  /** @param {number} slot @param {number} seq @returns {boolean} whether it is at the end */
  #insert(slot, seq) {
    if (this.head + this.count === this.order.length) {
      const target = this.head > this.order.length / 2 ? this.order : new Int32Array(this.order.length * 2);
      target.set(this.order.subarray(this.head, this.head + this.count));
      this.order = target;
      this.head = 0;
    }
    let place = this.count;
    if (seq < this.lastSequence) {
      place = this.placeOf(seq);
      this.order.copyWithin(this.head + place + 1, this.head + place, this.head + this.count);
    }
    this.order[this.head + place] = slot;
    this.count += 1;
    return place === this.count - 1;
  }

  /** The first place whose sequence number is not below this one. @param {number} seq */
  placeOf(seq) {
    let [low, high] = [0, this.count];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.columns.seq[this.slotAt(middle)] ?? 0) < seq) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #grow() {
    if (this.#used === this.size) {
      const larger = columns(this.size * 2);
      for (const [name, column] of Object.entries(this.columns)) {
        larger[/** @type {keyof typeof larger} */ (name)].set(column);
      }
      this.columns = larger;
      this.size *= 2;
    }
    this.#used += 1;
    return this.#used - 1;
  }

  /** @param {number} number @param {number} slot */
  #setSlot(number, slot) {
    if (number >= this.#slots.length) {
      const larger = new Uint32Array(Math.max(this.#slots.length * 2, number + 1));
      larger.set(this.#slots);
      this.#slots = larger;
    }
    this.#slots[number] = slot + 1;
  }

  /** @param {number} slot @param {NetworkRow} row @param {number} number of its id */
  #write(slot, row, number) {
    const { columns: c, texts, ids } = this;
    c.id[slot] = number;
    c.seq[slot] = row.seq;
    c.rev[slot] = row.rev;
    c.started[slot] = Date.parse(row.started_at);
    c.duration[slot] = row.duration_ms ?? Number.NaN;
    c.setup[slot] = row.setup_ms ?? 0;
    c.wait[slot] = row.wait_ms ?? 0;
    c.requestBytes[slot] = row.request_bytes ?? Number.NaN;
    c.responseBytes[slot] = row.response_bytes ?? Number.NaN;
    c.call[slot] = ids.add(row.call_id);
    c.flow[slot] = ids.add(row.flow_id);
    c.parent[slot] = ids.add(row.parent_id);
    c.method[slot] = texts.add(row.method);
    c.path[slot] = texts.add(row.path);
    c.host[slot] = texts.add(row.host);
    c.query[slot] = texts.add(row.query);
    c.endpoint[slot] = texts.add(row.endpoint);
    c.flowName[slot] = texts.add(row.flow);
    c.error[slot] = texts.add(row.error);
    c.errorDetail[slot] = texts.add(row.error_detail);
    c.fault[slot] = texts.add(row.fault_id);
    c.trace[slot] = texts.add(row.fault && JSON.stringify(row.fault));
    c.status[slot] = row.status ?? 0;
    c.attempt[slot] = row.attempt;
    c.state[slot] = Math.max(0, states.indexOf(row.state));
    c.source[slot] = Math.max(0, sources.indexOf(row.source));
    if (!this.varied.includes("endpoint") && endpointLabel(row)) this.varied = [...this.varied, "endpoint"];
    if (row.host && !this.varied.includes("host")) {
      const host = row.host.replace(chosenPort, "");
      if (this.#host && this.#host !== host) this.varied = [...this.varied, "host"];
      this.#host = host;
    }
    const isRedacted = row.is_redacted ?? (row.path.includes("‹") || Boolean(row.error?.includes("‹")));
    const kept = (c.flags[slot] ?? 0) & (flag.selected | flag.passes);
    c.flags[slot] = kept | (row.is_pinned ? flag.pinned : 0) | (isRedacted ? flag.redacted : 0) | driftFlags(row);
  }

  /** The row of a slot as an object. @param {number} slot @returns {NetworkRow} */
  row(slot) {
    const { columns: c, texts, ids } = this;
    /** @param {Float64Array | Uint16Array} column */
    const optional = (column) => (Number.isNaN(column[slot]) ? undefined : column[slot]);
    const [parent, error, fault, flags] = [c.parent[slot] ?? 0, c.error[slot], c.fault[slot], c.flags[slot] ?? 0];
    const started = c.started[slot] ?? Number.NaN;
    return {
      id: ids.text(c.id[slot] ?? 0),
      seq: c.seq[slot] ?? 0,
      rev: c.rev[slot] ?? 0,
      call_id: ids.text(c.call[slot] ?? 0),
      parent_id: parent ? ids.text(parent) : undefined,
      flow_id: ids.text(c.flow[slot] ?? 0),
      flow: texts.text(c.flowName[slot] ?? 0),
      started_at: Number.isNaN(started) ? "" : new Date(started).toISOString(),
      method: texts.text(c.method[slot] ?? 0),
      path: texts.text(c.path[slot] ?? 0),
      host: c.host[slot] ? texts.text(c.host[slot] ?? 0) : undefined,
      query: c.query[slot] ? texts.text(c.query[slot] ?? 0) : undefined,
      endpoint: texts.text(c.endpoint[slot] ?? 0),
      attempt: c.attempt[slot] ?? 1,
      status: c.status[slot] || undefined,
      state: states[c.state[slot] ?? 0] ?? "pending",
      error: error ? texts.text(error) : undefined,
      error_detail: c.errorDetail[slot] ? texts.text(c.errorDetail[slot] ?? 0) : undefined,
      duration_ms: optional(c.duration),
      request_bytes: optional(c.requestBytes),
      response_bytes: optional(c.responseBytes),
      source: sources[c.source[slot] ?? 0] ?? "network",
      fault_id: fault ? texts.text(fault) : undefined,
      fault: c.trace[slot] ? JSON.parse(texts.text(c.trace[slot] ?? 0)) : undefined,
      is_pinned: Boolean(flags & flag.pinned),
      is_redacted: Boolean(flags & flag.redacted),
    };
  }

  /** When the last row up to this sequence number ended, in milliseconds; null without one. @param {number} seq */
  endedAt(seq) {
    const place = this.placeOf(seq + 1) - 1;
    if (place < 0) return null;
    const slot = this.slotAt(place);
    const [started, duration] = [this.columns.started[slot] ?? Number.NaN, this.columns.duration[slot] ?? 0];
    return Number.isNaN(started) ? null : started + (duration || 0);
  }

  /** The rows whose call or cause is this one, in order. @param {"call" | "parent"} name @param {string} id @returns {NetworkRow[]} */
  rowsBy(name, id) {
    const number = this.ids.find(id);
    /** @type {NetworkRow[]} */
    const found = [];
    if (!number) return found;
    for (let place = 0; place < this.count; place += 1) {
      const slot = this.slotAt(place);
      if (this.columns[name][slot] === number) found.push(this.row(slot));
    }
    return found;
  }

  /** Empties the log for a fresh snapshot. @param {number} capacity @param {number} dropped */
  reset(capacity, dropped) {
    this.#capacity = Math.max(1, capacity || this.#capacity);
    this.dropped = dropped || 0;
    [this.head, this.count, this.#used] = [0, 0, 0];
    this.#free = [];
    this.texts = new TextTable();
    this.ids = new IdTable();
    this.#slots.fill(0);
    [this.varied, this.#host] = [[], ""];
    this.generation += 1;
  }

  /** Begins with a response. @param {{capacity: number, dropped: number, older?: number, gaps?: RowStore["ends"]}} answer */
  begin({ capacity, dropped, older, gaps = [] }) {
    this.reset(capacity, older ?? dropped);
    this.isKept = older !== undefined;
    this.ends = gaps;
  }

  /** Makes room for evicted rows that are read again. @param {number} count @param {number} left how many remain */
  makeRoom(count, left) {
    this.#capacity += count;
    this.dropped = left;
  }

  // Texts and ids of evicted rows are freed, all at once and rarely.
  #compact() {
    const { columns: c } = this;
    const [texts, ids] = [this.texts, this.ids];
    this.texts = new TextTable();
    this.ids = new IdTable();
    this.#slots = new Uint32Array(4 * this.count + 1024);
    this.generation += 1;
    for (let place = 0; place < this.count; place += 1) {
      const slot = this.slotAt(place);
      for (const column of [c.id, c.call, c.flow, c.parent]) column[slot] = this.ids.add(ids.text(column[slot] ?? 0));
      for (const column of [c.method, c.path, c.host, c.query, c.endpoint, c.flowName, c.error, c.errorDetail, c.fault, c.trace]) {
        if (column[slot]) column[slot] = this.texts.add(texts.text(column[slot] ?? 0));
      }
      this.#setSlot(c.id[slot] ?? 0, slot);
    }
  }
}
