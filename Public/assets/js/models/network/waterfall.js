// @ts-check
/** A stretch of time in milliseconds. @typedef {{start: number, end: number}} Span */

/** An idle stretch is drawn at most this long, as a share of the time in which something happened. */
const idleShare = 0.06;

/**
 * One time axis for several spans. Stretches without events are shortened, so that events keep their width even if they are
 * minutes apart.
 */
export class TimeAxis {
  /** The stretches in which something happened, in order, each with where it begins on the axis. @type {(Span & {at: number})[]} */
  #busy = [];
  #length = 1;

  /** @param {Span[]} spans in any order */
  constructor(spans) {
    for (const { start, end } of spans.toSorted((one, other) => one.start - other.start)) {
      const last = this.#busy.at(-1);
      if (last && start <= last.end) last.end = Math.max(last.end, end);
      else this.#busy.push({ start, end, at: 0 });
    }
    const total = this.#busy.reduce((sum, one) => sum + one.end - one.start, 0);
    const idle = Math.max(1, total * idleShare);
    let at = 0;
    for (const [index, one] of this.#busy.entries()) {
      const before = this.#busy[index - 1];
      if (before) at += Math.min(idle, one.start - before.end);
      one.at = at;
      at += one.end - one.start;
    }
    this.#length = Math.max(at, 1);
  }

  /** Where an instant is on the axis, in percent; one between two stretches is where the first of them ends. @param {number} instant */
  at(instant) {
    let place = 0;
    for (const { start, end, at } of this.#busy) {
      if (instant < start) break;
      place = at + Math.min(instant, end) - start;
    }
    return (place / this.#length) * 100;
  }

  /** The bar of a span, in percent, at least wide enough to be seen. @param {Span} span */
  bar({ start, end }) {
    const from = Math.min(99, this.at(start));
    return { from, share: Math.min(100 - from, Math.max(1, this.at(end) - from)) };
  }
}

/**
 * Where on its bar an attempt begins to wait for the response, and where the response begins, in percent of it; null if no phase
 * is known.
 * @param {number} setup milliseconds
 * @param {number} wait milliseconds
 * @param {number} whole milliseconds
 */
export function phasesOn(setup, wait, whole) {
  if (!(setup + wait > 0) || !(whole > 0)) return null;
  /** @param {number} at */
  const share = (at) => Math.round(Math.min(100, (at / whole) * 100));
  return { wait: share(setup), receive: share(setup + wait) };
}
