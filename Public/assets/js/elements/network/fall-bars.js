// @ts-check
import { phasesOn, TimeAxis } from "../../models/network/waterfall.js";

/**
 * @typedef {import("../../models/network/row-lines.js").RowLines} RowLines
 * @typedef {import("./grid-row.js").GridRow} GridRow
 */

/** How long an axis stays while the newest lines are followed, in milliseconds. */
const most = 500;

/**
 * The bars of the waterfall. The lines in view share one time axis. While lines come and go, their bars are drawn on the axis of
 * before, because a new axis draws every bar again.
 */
export class FallBars {
  #axis = new TimeAxis([]);
  #end = 0;
  /** The parameters of the drawn axis. */
  #key = "";
  #measured = 0;
  #isDue = true;
  /** The lines, the places of the first and last in view, and the elements. @type {[RowLines, number, number, GridRow[]] | null} */
  #view = null;

  /**
   * @param {RowLines} lines
   * @param {number} first the place of the first line in view
   * @param {number} last
   * @param {GridRow[]} rows
   * @param {boolean} isFollowing whether the newest lines are followed, so that the view may never rest
   */
  draw(lines, first, last, rows, isFollowing) {
    if (isFollowing && performance.now() - this.#measured > most) this.#isDue = true;
    this.#view = [lines, first, last, rows];
    this.#show();
  }

  /** Gives the lines in view an axis of their own. Call it when the view rests. */
  renew() {
    this.#isDue = true;
    // The current drawing comes first.
    queueMicrotask(() => this.#isDue && this.#show());
  }

  #show() {
    if (!this.#view) return;
    const [lines, first, last, rows] = this.#view;
    const key = `${first} ${last} ${lines.version} ${lines.count}`;
    if (this.#isDue && key !== this.#key) {
      this.#measure(lines, first, last);
      [this.#key, this.#measured] = [key, performance.now()];
    }
    this.#isDue = false;
    for (const row of rows) this.#drawBar(lines, row);
  }

  /** @param {RowLines} lines @param {number} first @param {number} last */
  #measure(lines, first, last) {
    const { started, duration } = lines.store.columns;
    /** @type {import("../../models/network/waterfall.js").Span[]} */
    const spans = [];
    for (let place = first; place <= Math.min(last, lines.count - 1); place += 1) {
      const value = lines.values[place] ?? -1;
      const start = started[value];
      if (value >= 0 && start !== undefined) spans.push({ start, end: start + (duration[value] || 0) });
    }
    this.#axis = new TimeAxis(spans);
    this.#end = spans.reduce((latest, one) => Math.max(latest, one.end), 0);
  }

  /** @param {RowLines} lines @param {GridRow} row */
  #drawBar(lines, row) {
    const { value } = row.drawn;
    if (value >= 0) {
      const { started, duration, setup, wait } = lines.store.columns;
      const [start, length] = [started[value] ?? 0, duration[value] ?? Number.NaN];
      const isOpen = Number.isNaN(length);
      const span = { start, end: isOpen ? Math.max(start, this.#end) : start + length };
      const phases = isOpen ? null : phasesOn(setup[value] ?? 0, wait[value] ?? 0, length);
      setBar(row, this.#axis.bar(span), isOpen ? "open" : "", phases);
    } else if ((-value & 3) < 3) setBar(row, this.#axis.bar(lines.summary((-value & 3) === 1 ? "flow" : "call", -value >> 2)), "group");
    else setBar(row, null, "");
  }
}

/**
 * @param {GridRow} row
 * @param {{from: number, share: number} | null} place in percent
 * @param {string} kind
 * @param {{wait: number, receive: number} | null} [phases]
 */
function setBar(row, place, kind, phases = null) {
  const shown = place ? `${place.from.toFixed(1)} ${place.share.toFixed(1)} ${kind} ${phases?.wait} ${phases?.receive}` : "";
  if (shown === row.barShown) return;
  row.barShown = shown;
  const { bar } = row;
  bar.hidden = !place;
  if (!place) return;
  bar.style.marginInlineStart = `${place.from.toFixed(1)}%`;
  bar.style.inlineSize = `${place.share.toFixed(1)}%`;
  bar.dataset.bar = kind;
  bar.style.backgroundSize = phases ? `${phases.wait}% 100%, ${100 - phases.receive}% 100%` : "";
}
