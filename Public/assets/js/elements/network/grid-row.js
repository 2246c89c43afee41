// @ts-check
import { h } from "../../helpers/dom.js";
import { byteSize, clockTime, milliseconds, preciseTime, t } from "../../helpers/i18n.js";
import { flag } from "../../models/network/row-store.js";
import { barOn, middleEllipsis, phasesOn, rowTone, statusLabel } from "../../models/network/row-view.js";

/** @typedef {import("../../models/network/row-lines.js").RowLines} RowLines */

const names = ["seq", "time", "method", "path", "endpoint", "status", "size", "ms", "source"];
const [seq, time, method, path, endpoint, status, size, ms, source] = [0, 1, 2, 3, 4, 5, 6, 7, 8];

/** One line of the grid: an element that is reused for each line that comes into view. */
export class GridRow {
  /** The text node of each cell. @type {Text[]} */
  #texts = names.map(() => document.createTextNode(""));
  #shown = names.map(() => "");
  #top = -1;
  #bar;
  #cells;
  #titles = names.map(() => "");
  /** What is drawn: the line's value, row, revision, and place. */
  drawn = { value: 0, id: -1, rev: -1, version: -1, index: -1, generation: -1, marks: -1, level: 0 };
  /** The bar that is drawn, as text. */
  #told = "";
  #tone = "";
  #kind = "";

  constructor() {
    this.#bar = h("span", { class: "fall-bar" });
    const cells = names.map((name, index) => {
      const text = this.#texts[index] ?? "";
      const isCode = name === "path" || name === "endpoint";
      return h(
        "span",
        { role: "gridcell", class: `c-${name}` },
        isCode ? h("bdi", { dir: "ltr" }, text) : name === "status" ? h("span", { class: "status" }, text) : text,
      );
    });
    const fall = h("span", { role: "gridcell", class: "c-fall", dir: "ltr" }, this.#bar);
    this.element = h("div", { role: "row", class: "grid-row", tabindex: "-1" }, ...cells, fall);
    this.#cells = cells;
  }

  /**
   * Shows the line at this place; unchanged cells are not touched.
   * @param {RowLines} lines
   * @param {number} place
   * @param {boolean} isActive
   */
  fill(lines, place, isActive) {
    const { store } = lines;
    const value = lines.values[place] ?? 0;
    const isRow = value >= 0;
    const { drawn } = this;
    const id = isRow ? store.columns.id[value] ?? 0 : 0;
    const rev = isRow ? store.columns.rev[value] ?? 0 : lines.version;
    const isOther = drawn.value !== value || drawn.id !== id || drawn.generation !== store.generation;
    if (drawn.index !== place) this.element.setAttribute("aria-rowindex", String(place + 2));
    const marks = (isRow ? store.columns.flags[value] ?? 0 : 256) * 2 + Number(isActive);
    const level = !lines.hasGroups ? 0 : isRow ? lines.levelOf(value) : Math.min(-value & 3, 3);
    if (isOther || drawn.rev !== rev) this.#draw(lines, place);
    if (drawn.level !== level) this.#setLevel(level);
    if (drawn.marks !== marks) this.#mark(isActive, marks >> 1, isRow);
    if (isRow && (isOther || drawn.version !== lines.version)) this.#drawBar(lines, value);
    this.drawn = { value, id, rev, level, index: place, marks, version: lines.version, generation: store.generation };
  }

  /** @param {number} top pixels from the first line */
  put(top) {
    if (this.#top === top) return;
    this.#top = top;
    this.element.style.insetBlockStart = `${top}px`;
  }

  /** @param {number} cell @param {string} text */
  #write(cell, text) {
    const node = this.#texts[cell];
    if (this.#shown[cell] === text || !node) return;
    this.#shown[cell] = text;
    node.data = text;
  }

  /** @param {number} level 0 for none */
  #setLevel(level) {
    if (level) this.element.setAttribute("aria-level", String(level));
    else this.element.removeAttribute("aria-level");
  }

  /** @param {boolean} isActive @param {number} flags @param {boolean} isRow */
  #mark(isActive, flags, isRow) {
    const { element } = this;
    element.tabIndex = isActive ? 0 : -1;
    element.toggleAttribute("data-active", isActive);
    element.toggleAttribute("data-pinned", (flags & flag.pinned) !== 0);
    if (isRow) element.setAttribute("aria-selected", String((flags & flag.selected) !== 0));
    else element.removeAttribute("aria-selected");
  }

  /** @param {RowLines} lines @param {number} place */
  #draw(lines, place) {
    const line = lines.line(place);
    const { element } = this;
    if (line.kind === "row") element.setAttribute("data-row", lines.store.idOf(line.slot));
    else if (this.#kind === "row") element.removeAttribute("data-row");
    if (this.#kind !== line.kind) element.dataset.kind = this.#kind = line.kind;
    if (line.kind === "row") this.#drawRow(lines, line.slot);
    else if (line.kind === "dropped") this.#drawNotice(t("network.dropped", { n: lines.store.dropped }));
    else if (line.kind === "gap") this.#drawNotice(gapText(line.gap));
    else this.#drawGroup(lines, { kind: line.kind, id: line.id });
    const isGroup = line.kind === "flow" || line.kind === "call";
    if (isGroup) element.setAttribute("aria-expanded", String(line.isOpen));
    else if (element.hasAttribute("aria-expanded")) element.removeAttribute("aria-expanded");
  }

  /** @param {string} tone */
  #setTone(tone) {
    if (this.#tone !== tone) this.element.dataset.tone = this.#tone = tone;
  }

  /** The tooltip of a cell. @param {number} cell @param {string} text */
  #setTitle(cell, text) {
    if (this.#titles[cell] === text) return;
    this.#titles[cell] = text;
    this.#cells[cell]?.setAttribute("title", text);
  }

  /** @param {RowLines} lines @param {number} slot */
  #drawRow(lines, slot) {
    const row = lines.store.row(slot);
    const label = statusLabel(row);
    this.#write(seq, String(row.seq));
    this.#write(time, preciseTime(lines.store.columns.started[slot]));
    this.#write(method, row.method);
    this.#write(path, middleEllipsis(row.path));
    this.#setTitle(path, row.path);
    this.#write(endpoint, row.endpoint);
    this.#write(status, label.digits ?? t(label.key ?? "row.pending"));
    this.#setTitle(status, row.error ?? "");
    this.#write(size, byteSize(row.response_bytes));
    this.#write(ms, milliseconds(row.duration_ms));
    const tries = row.attempt > 1 ? t("row.attempt", { n: row.attempt }) : "";
    const from = row.source === "network" ? "" : t(`row.source.${row.source}`);
    this.#write(source, [row.is_pinned ? t("row.pinned") : "", tries, from].filter(Boolean).join(" · "));
    this.#setTone(rowTone(row));
  }

  /** @param {RowLines} lines @param {{kind: "flow" | "call", id: number}} line */
  #drawGroup(lines, line) {
    const summary = lines.summary(line.kind, line.id);
    const last = lines.store.row(summary.last);
    const label = statusLabel(last);
    this.#write(seq, "");
    this.#write(time, preciseTime(summary.start));
    this.#write(method, line.kind === "call" ? last.method : "");
    this.#write(path, line.kind === "call" ? middleEllipsis(last.path) : last.flow);
    this.#setTitle(path, line.kind === "call" ? last.path : last.flow);
    this.#write(endpoint, line.kind === "call" ? last.endpoint : "");
    const failures = summary.failed ? t("row.failures", { n: summary.failed }) : "";
    this.#write(status, line.kind === "call" ? label.digits ?? t(label.key ?? "row.pending") : failures);
    this.#setTitle(status, failures);
    this.#write(size, "");
    this.#write(ms, summary.isRunning ? "…" : milliseconds(summary.end - summary.start));
    this.#write(source, t(line.kind === "call" ? "row.tries" : "network.rows", { n: summary.count }));
    this.#setTone(line.kind === "call" ? rowTone(last) : summary.failed ? "bad" : "plain");
    this.#setBar(0, 0, "");
  }

  /** @param {string} text */
  #drawNotice(text) {
    for (let cell = 0; cell < names.length; cell += 1) this.#write(cell, cell === path ? text : "");
    this.#setTitle(path, "");
    this.#setTone("muted");
    this.#setBar(0, 0, "");
  }

  // The scale is the user action, so that parallel calls appear in parallel.
  /** @param {RowLines} lines @param {number} slot */
  #drawBar(lines, slot) {
    const c = lines.store.columns;
    const start = c.started[slot] ?? 0;
    const length = c.duration[slot] ?? Number.NaN;
    const scale = lines.hasGroups
      ? lines.summary("flow", c.flow[slot] ?? 0)
      : { start, end: start + Math.max(1000, length || 0) };
    const end = Number.isNaN(length) ? Math.max(start, scale.end) : start + length;
    const { from, share } = barOn(start, end, scale);
    const phases = phasesOn(c.setup[slot] ?? 0, c.wait[slot] ?? 0, length);
    this.#setBar(from, share, Number.isNaN(length) ? "open" : "", phases);
  }

  /**
   * @param {number} from percent @param {number} share percent @param {string} kind
   * @param {{wait: number, receive: number} | null} [phases]
   */
  #setBar(from, share, kind, phases = null) {
    const told = `${from.toFixed(1)} ${share.toFixed(1)} ${kind} ${phases?.wait} ${phases?.receive}`;
    if (told === this.#told) return;
    this.#told = told;
    this.#bar.hidden = share === 0;
    this.#bar.style.marginInlineStart = `${from.toFixed(1)}%`;
    this.#bar.style.inlineSize = `${share.toFixed(1)}%`;
    this.#bar.dataset.bar = kind;
    this.#bar.style.backgroundSize = phases ? `${phases.wait}% 100%, ${100 - phases.receive}% 100%` : "";
  }
}

/** How long the order in the document may differ from the order on the screen, in milliseconds. */
const disorder = 200;

/**
 * The elements of the visible lines. While lines come and go, an element is only filled and positioned again, because
 * that costs a third of moving it in the document. The order there is corrected when the view rests, and twice a second.
 */
export class GridRows {
  /** In order. @type {GridRow[]} */
  drawn = [];
  #start = 0;
  /** @type {GridRow[]} */
  #spare = [];
  #timer = 0;
  #since = 0;
  #last = -disorder;

  /** @param {HTMLElement} place the parent of the elements */
  constructor(place) {
    this.place = place;
  }

  /** The element of a line, if it is visible. @param {number} place @returns {GridRow | undefined} */
  at(place) {
    return place < this.#start ? undefined : this.drawn[place - this.#start];
  }

  /**
   * Draws the visible lines; a line that stays keeps its element even if it moves.
   * @param {RowLines} lines
   * @param {import("../../models/network/row-view.js").RowWindow} view
   * @param {number} rowHeight pixels
   * @param {number} active the place of the line with the focus
   */
  draw(lines, view, rowHeight, active) {
    /** @type {Map<number, GridRow>} */
    const known = new Map(this.drawn.map((row) => [row.drawn.value, row]));
    /** @type {(GridRow | undefined)[]} */
    const kept = [];
    for (let at = view.start; at < view.end; at += 1) {
      const value = lines.values[at] ?? 0;
      kept.push(known.get(value));
      known.delete(value);
    }
    this.#spare.push(...known.values());
    this.#start = view.start;
    this.drawn = kept.map((row, index) => {
      const shown = row ?? this.#take((lines.values[view.start + index] ?? 0) >= 0);
      shown.fill(lines, view.start + index, view.start + index === active);
      shown.put(view.offset + index * rowHeight);
      if (!shown.element.isConnected) this.place.append(shown.element);
      return shown;
    });
    for (const row of this.#spare) row.element.remove();
    // The first change after a pause is ordered at once, further ones when they pause or twice a second.
    const now = performance.now();
    const isRested = !this.#timer && now - this.#last > disorder;
    this.#last = now;
    if (isRested) return this.#arrange();
    if (!this.#timer) this.#since = now;
    else if (now - this.#since > 2.5 * disorder) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#arrange(), disorder);
  }

  /** An unused element, preferably of the same kind, which keeps most of its style. @param {boolean} isRow */
  #take(isRow) {
    const at = this.#spare.findLastIndex((one) => (one.drawn.value >= 0) === isRow);
    return this.#spare.splice(at, 1)[0] ?? new GridRow();
  }

  /** Puts the elements into the order of their lines; most of them only move from one end to the other. */
  #arrange() {
    this.#timer = 0;
    const { place } = this;
    const order = this.drawn.map((row) => row.element);
    const known = [...place.children];
    if (order.every((one, index) => one === known[index])) return;
    const held = document.activeElement;
    const isForward = known.indexOf(/** @type {Element} */ (order[0])) > known.length / 2;
    let cursor = isForward ? place.firstElementChild : place.lastElementChild;
    for (const one of isForward ? order : order.toReversed()) {
      if (one === cursor) cursor = isForward ? cursor.nextElementSibling : cursor.previousElementSibling;
      else place.insertBefore(one, isForward ? cursor : cursor ? cursor.nextSibling : place.firstChild);
    }
    if (held instanceof HTMLElement && held !== document.activeElement) held.focus({ preventScroll: true });
  }
}

/** @param {import("../../models/network/row-lines.js").Gap} gap */
const gapText = ({ missed, at }) =>
  missed === null
    ? t("network.gap", { time: clockTime(at) })
    : t("network.gap_count", { n: missed, time: clockTime(at) });
