// @ts-check
import { h } from "../helpers/dom.js";
import { byteSize, clockTime, milliseconds, preciseTime, t } from "../helpers/i18n.js";
import { flag } from "../models/row-store.js";
import { barOn, middleEllipsis, rowTone, statusLabel } from "../models/row-view.js";

/** @typedef {import("../models/row-lines.js").RowLines} RowLines */

const names = ["seq", "time", "method", "path", "endpoint", "status", "size", "ms", "source"];
const [seq, time, method, path, endpoint, status, size, ms, source] = [0, 1, 2, 3, 4, 5, 6, 7, 8];

/** One line of the grid: an element that is filled anew for whatever line comes into view. */
export class GridRow {
  constructor() {
    /** The text node of each cell. @type {Text[]} */
    this.texts = names.map(() => document.createTextNode(""));
    this.shown = names.map(() => "");
    this.bar = h("span", { class: "fall-bar" });
    const cells = names.map((name, index) => {
      const text = this.texts[index] ?? "";
      const isCode = name === "path" || name === "endpoint";
      return h(
        "span",
        { role: "gridcell", class: `c-${name}` },
        isCode ? h("bdi", { dir: "ltr" }, text) : name === "status" ? h("span", { class: "status" }, text) : text,
      );
    });
    const fall = h("span", { role: "gridcell", class: "c-fall", dir: "ltr" }, this.bar);
    this.element = h("div", { role: "row", class: "grid-row", tabindex: "-1" }, ...cells, fall);
    this.pathCell = cells[path];
    this.statusCell = cells[status];
    /** What is drawn: the line's value, its row and revision, its place. */
    this.drawn = {
      value: 0,
      id: -1,
      rev: -1,
      version: -1,
      index: -1,
      generation: -1,
      marks: -1,
      level: -1,
      isGrouped: false,
      bar: "",
    };
  }

  /**
   * Shows the line at this place; what it shows already is left alone.
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
    const marks = (isRow ? store.columns.flags[value] ?? 0 : 0) * 2 + Number(isActive);
    const level = isRow ? lines.levelOf(value) : -value & 3;
    if (isOther || drawn.rev !== rev) this.draw(lines, place);
    if (drawn.level !== level || drawn.isGrouped !== lines.hasGroups) {
      this.setLevel(lines.hasGroups ? Math.min(level, 3) : 0);
    }
    if (isOther || drawn.marks !== marks) this.mark(isActive, isRow ? marks >> 1 : 0, isRow);
    if (isRow && (isOther || drawn.version !== lines.version)) this.drawBar(lines, value);
    Object.assign(drawn, {
      value,
      id,
      rev,
      level,
      isGrouped: lines.hasGroups,
      index: place,
      marks,
      version: lines.version,
      generation: store.generation,
    });
  }

  /** @param {number} cell @param {string} text */
  write(cell, text) {
    const node = this.texts[cell];
    if (this.shown[cell] === text || !node) return;
    this.shown[cell] = text;
    node.data = text;
  }

  /** @param {number} level 0 for none */
  setLevel(level) {
    if (level) this.element.setAttribute("aria-level", String(level));
    else this.element.removeAttribute("aria-level");
  }

  /** @param {boolean} isActive @param {number} flags @param {boolean} isRow */
  mark(isActive, flags, isRow) {
    const { element } = this;
    element.tabIndex = isActive ? 0 : -1;
    element.toggleAttribute("data-active", isActive);
    element.toggleAttribute("data-pinned", (flags & flag.pinned) !== 0);
    if (isRow) element.setAttribute("aria-selected", String((flags & flag.selected) !== 0));
    else element.removeAttribute("aria-selected");
  }

  /** @param {RowLines} lines @param {number} place */
  draw(lines, place) {
    const line = lines.line(place);
    const { element } = this;
    if (element.dataset.kind !== line.kind) element.dataset.kind = line.kind;
    if (line.kind === "row") element.setAttribute("data-row", lines.store.idOf(line.slot));
    else element.removeAttribute("data-row");
    if (line.kind === "row") this.drawRow(lines, line.slot);
    else if (line.kind === "dropped") this.drawNotice(t("network.dropped", { n: lines.store.dropped }));
    else if (line.kind === "gap") this.drawNotice(gapText(line.gap));
    else this.drawGroup(lines, { kind: line.kind, id: line.id });
    const isGroup = line.kind === "flow" || line.kind === "call";
    if (isGroup) element.setAttribute("aria-expanded", String(line.isOpen));
    else element.removeAttribute("aria-expanded");
  }

  /** @param {RowLines} lines @param {number} slot */
  drawRow(lines, slot) {
    const row = lines.store.row(slot);
    const label = statusLabel(row);
    this.write(seq, String(row.seq));
    this.write(time, preciseTime(row.started_at));
    this.write(method, row.method);
    this.write(path, middleEllipsis(row.path));
    this.pathCell?.setAttribute("title", row.path);
    this.write(endpoint, row.endpoint);
    this.write(status, label.digits ?? t(label.key ?? "row.pending"));
    this.statusCell?.setAttribute("title", row.error ?? "");
    this.write(size, byteSize(row.response_bytes));
    this.write(ms, milliseconds(row.duration_ms));
    const tries = row.attempt > 1 ? t("row.attempt", { n: row.attempt }) : "";
    const from = row.source === "network" ? "" : t(`row.source.${row.source}`);
    this.write(source, [row.is_pinned ? t("row.pinned") : "", tries, from].filter(Boolean).join(" · "));
    this.element.dataset.tone = rowTone(row);
  }

  /** @param {RowLines} lines @param {{kind: "flow" | "call", id: number}} line */
  drawGroup(lines, line) {
    const summary = lines.summary(line.kind, line.id);
    const last = lines.store.row(summary.last);
    const label = statusLabel(last);
    this.write(seq, "");
    this.write(time, preciseTime(summary.start));
    this.write(method, line.kind === "call" ? last.method : "");
    this.write(path, line.kind === "call" ? middleEllipsis(last.path) : last.flow);
    this.pathCell?.setAttribute("title", line.kind === "call" ? last.path : last.flow);
    this.write(endpoint, line.kind === "call" ? last.endpoint : "");
    const failures = summary.failed ? t("row.failures", { n: summary.failed }) : "";
    this.write(status, line.kind === "call" ? label.digits ?? t(label.key ?? "row.pending") : failures);
    this.statusCell?.setAttribute("title", failures);
    this.write(size, "");
    this.write(ms, summary.isRunning ? "…" : milliseconds(summary.end - summary.start));
    this.write(source, t(line.kind === "call" ? "row.tries" : "network.rows", { n: summary.count }));
    this.element.dataset.tone = line.kind === "call" ? rowTone(last) : summary.failed ? "bad" : "plain";
    this.setBar(0, 0, "");
  }

  /** @param {string} text */
  drawNotice(text) {
    for (let cell = 0; cell < names.length; cell += 1) this.write(cell, cell === path ? text : "");
    this.pathCell?.removeAttribute("title");
    this.element.dataset.tone = "muted";
    this.setBar(0, 0, "");
  }

  // The scale is the user action: what ran side by side is seen side by side.
  /** @param {RowLines} lines @param {number} slot */
  drawBar(lines, slot) {
    const c = lines.store.columns;
    const start = c.started[slot] ?? 0;
    const length = c.duration[slot] ?? Number.NaN;
    const scale = lines.hasGroups
      ? lines.summary("flow", c.flow[slot] ?? 0)
      : { start, end: start + Math.max(1000, length || 0) };
    const end = Number.isNaN(length) ? Math.max(start, scale.end) : start + length;
    const { from, share } = barOn(start, end, scale);
    this.setBar(from, share, Number.isNaN(length) ? "open" : "");
  }

  /** @param {number} from percent @param {number} share percent @param {string} kind */
  setBar(from, share, kind) {
    const told = `${from.toFixed(1)} ${share.toFixed(1)} ${kind}`;
    if (told === this.drawn.bar) return;
    this.drawn.bar = told;
    this.bar.hidden = share === 0;
    this.bar.style.marginInlineStart = `${from.toFixed(1)}%`;
    this.bar.style.inlineSize = `${share.toFixed(1)}%`;
    this.bar.dataset.bar = kind;
  }
}

/** @param {import("../models/row-lines.js").Gap} gap */
const gapText = ({ missed, at }) =>
  missed === null
    ? t("network.gap", { time: clockTime(at) })
    : t("network.gap_count", { n: missed, time: clockTime(at) });
