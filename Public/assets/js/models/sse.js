// @ts-check
/** @typedef {{id: string | null, event: string, data: string}} StreamEvent */

/** Reads a stream of server-sent events from pieces of text (WHATWG HTML, "event stream interpretation"). */
export class EventStreamParser {
  constructor() {
    this.buffer = "";
    this.first = true;
    /** @type {string[]} */
    this.data = [];
    this.event = "";
    /** The id of the last event that carried one; it stays for the events after it. @type {string | null} */
    this.lastId = null;
    /** The delay before reconnecting that the server asked for, in milliseconds. @type {number | null} */
    this.retry = null;
  }

  /**
   * Takes a piece and returns the events that it completed; a line may be cut anywhere.
   * @param {string} piece
   * @returns {StreamEvent[]}
   */
  push(piece) {
    this.buffer += piece;
    if (this.first && this.buffer.length) {
      this.buffer = this.buffer.replace(/^\ufeff/, "");
      this.first = false;
    }
    /** @type {StreamEvent[]} */
    const events = [];
    for (;;) {
      const end = this.buffer.search(/[\r\n]/);
      if (end < 0) return events;
      const isReturn = this.buffer[end] === "\r";
      // A carriage return at the very end may be half of a pair: wait for what follows.
      if (isReturn && end === this.buffer.length - 1) return events;
      const line = this.buffer.slice(0, end);
      this.buffer = this.buffer.slice(end + (isReturn && this.buffer[end + 1] === "\n" ? 2 : 1));
      const event = this.line(line);
      if (event) events.push(event);
    }
  }

  /** @param {string} line @returns {StreamEvent | null} */
  line(line) {
    if (line === "") return this.dispatch();
    const colon = line.indexOf(":");
    if (colon === 0) return null;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "data") this.data.push(value);
    else if (field === "event") this.event = value;
    else if (field === "id" && !value.includes("\0")) this.lastId = value;
    else if (field === "retry" && /^\d{1,7}$/.test(value)) this.retry = Number(value);
    return null;
  }

  /** @returns {StreamEvent | null} */
  dispatch() {
    const [data, event] = [this.data.join("\n"), this.event || "message"];
    const isEmpty = this.data.length === 0;
    this.data = [];
    this.event = "";
    return isEmpty ? null : { id: this.lastId, event, data };
  }
}

/** The epoch of an event id `<epoch>-<seq>`; ids of two epochs are not of one series. @param {string | null} id */
export const epochOf = (id) => (id && id.includes("-") ? id.slice(0, id.lastIndexOf("-")) : null);

/**
 * The wait before try `attempt` (from 0) in milliseconds: doubling to 15 s, the upper half of it at random.
 * @param {number} attempt
 * @param {number} random 0 … 1
 * @param {number | null} [asked] what the server asked for, as a floor
 */
export function backoff(attempt, random, asked = null) {
  const full = Math.min(15_000, 500 * 2 ** Math.min(attempt, 10));
  return Math.max(full / 2 + (full / 2) * random, Math.min(asked ?? 0, 15_000));
}
