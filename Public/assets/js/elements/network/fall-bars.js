// @ts-check
import { phasesOn, TimeAxis } from "../../models/network/waterfall.js";

/**
 * @typedef {import("../../models/network/row-lines.js").RowLines} RowLines
 * @typedef {import("./grid-row.js").GridRow} GridRow
 */

/** How long an axis stays while lines come and go, in milliseconds: each new one draws every bar again. */
const pause = 120;

/** The bars of the waterfall. The lines in view share one time axis; it changes as other lines come into view. */
export class FallBars {
  #axis = new TimeAxis([]);
  #end = 0;
  #key = "";
  #measured = -pause;
  #timer = 0;

  /** @param {() => void} redraw */
  constructor(redraw) {
    this.redraw = redraw;
  }

  /**
   * @param {RowLines} lines
   * @param {number} first the place of the first line in view
   * @param {number} last
   * @param {GridRow[]} rows
   */
  draw(lines, first, last, rows) {
    const key = `${first} ${last} ${lines.version} ${lines.count}`;
    const now = performance.now();
    if (key !== this.#key && now - this.#measured >= pause) {
      this.#measure(lines, first, last);
      [this.#key, this.#measured] = [key, now];
    } else if (key !== this.#key) {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(this.redraw, pause);
    }
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
  bar.style.insetInlineStart = `${place.from.toFixed(1)}%`;
  bar.style.inlineSize = `${place.share.toFixed(1)}%`;
  bar.dataset.bar = kind;
  bar.style.backgroundSize = phases ? `${phases.wait}% 100%, ${100 - phases.receive}% 100%` : "";
}
