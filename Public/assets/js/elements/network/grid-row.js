// @ts-check
import { h, icon, isPressed } from "../../helpers/dom.js";
import { byteSize, clockTime, faultName, milliseconds, moment, preciseTime, t } from "../../helpers/i18n.js";
import { allColumns, columnNamed } from "../../models/network/columns.js";
import { flag } from "../../models/network/row-store.js";
import { isFaulted } from "../../models/network/row-fault.js";
import { flowName, masked, rowTone } from "../../models/network/row-view.js";

/** @typedef {import("../../models/network/row-lines.js").RowLines} RowLines */

const words = { byteSize, milliseconds, preciseTime, t };

/** A text on the page; writing what is there already costs nothing. */
class Written {
  node = document.createTextNode("");
  #shown = "";

  /** @param {string} text */
  write(text) {
    if (this.#shown !== text) this.node.data = this.#shown = text;
  }
}

/** Whether personal text is covered. */
const isPresenting = () => document.documentElement.dataset.present !== undefined;

/** A cell of a line. */
class Cell {
  text = new Written();
  #title = "";

  /** @param {import("../../models/network/columns.js").Column} column */
  constructor(column) {
    this.column = column;
    this.element = h("span", { role: "gridcell", class: `c-${column.name}` });
  }

  /** Sets the tooltip. @param {string} title */
  setTitle(title) {
    if (this.#title !== title) this.element.title = this.#title = title;
  }
}

/** One line of the grid: an element that is reused for each line that comes into view. */
export class GridRow {
  #cells;
  #path;
  #query = new Written();
  #flow = new Written();
  #top = -1;
  /** The bar in the waterfall, and its content. */
  bar = h("span", { class: "fall-bar", hidden: true });
  barShown = "";
  /** The drawn state: the line's value, row, revision and place, and the log, because each log numbers its rows from 1. */
  drawn = {
    value: 0,
    id: -1,
    rev: -1,
    index: -1,
    store: /** @type {import("../../models/network/row-store.js").RowStore | null} */ (null),
    generation: -1,
    marks: -1,
    level: 0,
  };
  #drift = h("span", { class: "drift-mark", role: "img", hidden: true }, "≠");
  #fault = h("span", { class: "fault-mark", role: "img", hidden: true });
  #tone = "";
  #kind = "";

  /** @param {string[]} columns the names of those to show, in order */
  constructor(columns) {
    const cells = columns.map((name) => new Cell(columnNamed(name)));
    this.#cells = cells;
    this.#path = /** @type {Cell} */ (cells.find(({ column }) => column.name === "path"));
    for (const { column: { name }, element, text: { node } } of cells) element.append(...this.#contentOf(name, node));
    this.element = h("div", { role: "row", class: "grid-row", tabindex: "-1" }, ...cells.map((cell) => cell.element));
  }

  /** The content of a cell. @param {string} name @param {Text} text @returns {Node[]} */
  #contentOf(name, text) {
    if (name === "path") {
      const query = h("span", { class: "query", "data-secret": "" }, this.#query.node);
      return [h("bdi", { dir: "ltr" }, text, query), h("bdi", { class: "flow-name" }, this.#flow.node)];
    }
    if (name === "endpoint" || name === "host") return [h("bdi", { dir: "ltr" }, text)];
    if (name === "status") return [h("span", { class: "status" }, text), this.#fault, this.#drift];
    return [name === "fall" ? this.bar : text];
  }

  /**
   * Shows the line at this place; unchanged cells are not touched.
   * @param {RowLines} lines
   * @param {number} place
   * @param {boolean} isActive
   */
  fill(lines, place, isActive) {
    const [{ store }, { drawn }] = [lines, this];
    const value = lines.values[place] ?? 0;
    const isRow = value >= 0;
    const id = isRow ? store.columns.id[value] ?? 0 : 0;
    const rev = isRow ? store.columns.rev[value] ?? 0 : lines.version;
    const isOther = drawn.value !== value || drawn.id !== id || drawn.store !== store || drawn.generation !== store.generation;
    if (drawn.index !== place) this.element.setAttribute("aria-rowindex", String(place + 2));
    const marks = (isRow ? store.columns.flags[value] ?? 0 : 256) * 2 + Number(isActive);
    const level = lines.hasGroups ? lines.levelOf(value) : 0;
    if (isOther) this.element.removeAttribute("aria-label"); // The name is given when the view rests.
    if (isOther || drawn.rev !== rev || drawn.level !== level) this.#draw(lines, place, level);
    if (drawn.level !== level) this.element.ariaLevel = level ? String(level) : null;
    if (drawn.marks !== marks) this.#mark(isActive, marks >> 1, isRow);
    this.drawn = { value, id, rev, level, index: place, marks, store, generation: store.generation };
  }

  /** @param {number} top pixels from the first line */
  put(top) {
    if (this.#top === top) return;
    this.#top = top;
    this.element.style.insetBlockStart = `${top}px`;
  }

  /** @param {boolean} isActive @param {number} flags @param {boolean} isRow */
  #mark(isActive, flags, isRow) {
    const { element } = this;
    element.tabIndex = isActive ? 0 : -1;
    element.toggleAttribute("data-active", isActive);
    element.toggleAttribute("data-pinned", (flags & flag.pinned) !== 0);
    this.#drift.hidden = !isRow || (flags & flag.drift) === 0;
    if (!this.#drift.hidden) this.#drift.setAttribute("aria-label", t("row.drift"));
    if (isRow) element.setAttribute("aria-selected", String((flags & flag.selected) !== 0));
    else element.removeAttribute("aria-selected");
  }

  /** @param {RowLines} lines @param {number} place @param {number} level */
  #draw(lines, place, level) {
    const [line, { store }, { element }] = [lines.line(place), lines, this];
    if (line.kind === "row") element.setAttribute("data-row", lines.store.idOf(line.slot));
    else if (this.#kind === "row") element.removeAttribute("data-row");
    if (this.#kind !== line.kind) element.dataset.kind = this.#kind = line.kind;
    if (line.kind === "row") this.#drawRow(lines, line.slot, level);
    else if (line.kind === "dropped") this.#drawNotice(t(store.isKept ? "network.older" : "network.dropped", { n: store.dropped }));
    else if (line.kind === "gap") this.#drawNotice(gapText(line.gap, store));
    else this.#drawGroup(lines, { kind: line.kind, id: line.id }, level);
    if (line.kind === "flow" || line.kind === "call") element.setAttribute("aria-expanded", String(line.isOpen));
    else if (element.hasAttribute("aria-expanded")) element.removeAttribute("aria-expanded");
  }

  /** @param {string} tone @param {import("../../models/network/row-view.js").NetworkRow | null} faulted */
  #setTone(tone, faulted) {
    if (this.#tone !== tone) this.element.dataset.tone = this.#tone = tone;
    if (this.#fault.hidden !== !faulted) this.#fault.hidden = !faulted;
    if (!faulted) return;
    if (!this.#fault.firstChild) this.#fault.append(icon("fault", 14));
    const label = faultLabel(faulted);
    this.#fault.setAttribute("aria-label", label);
    // A tooltip cannot be covered, and a rule may be named after a person's address.
    this.#fault.title = document.documentElement.dataset.present === undefined ? label : "";
  }

  /**
   * Writes the query after the path, and the user action of a line outside of groups.
   * @param {string} query
   * @param {string} flow
   */
  #writeBesidePath(query, flow) {
    this.#query.write(query.length > 64 ? `${query.slice(0, 63)}…` : query);
    this.#flow.write(flow);
  }

  /**
   * Writes the text next to the path of a call, and its tooltip.
   * @param {import("../../models/network/row-view.js").NetworkRow} row
   * @param {boolean} isOuter whether the line stands in no other's group
   * @param {boolean} isMasked
   */
  #describePath(row, isOuter, isMasked) {
    const query = row.query ? `?${row.query}` : "";
    this.#writeBesidePath(query, isOuter && !row.path.endsWith(row.flow) ? flowName(row.flow, t) : "");
    const whole = isMasked ? masked(row.path) : row.path + query;
    this.#path.setTitle([whole, isOuter && flowName(row.flow, t)].filter(Boolean).join(" · "));
  }

  /** @param {RowLines} lines @param {number} slot @param {number} level */
  #drawRow(lines, slot, level) {
    const row = lines.store.row(slot);
    const context = { words, started: lines.store.columns.started[slot] ?? Number.NaN, isMasked: isPresenting() };
    for (const cell of this.#cells) {
      const { text, title } = cell.column;
      cell.text.write(text?.(row, context) ?? "");
      if (title) cell.setTitle(title(row, context));
    }
    this.#describePath(row, level === 1, context.isMasked);
    this.#setTone(rowTone(row), isFaulted(row) ? row : null);
  }

  /** @param {RowLines} lines @param {{kind: "flow" | "call", id: number}} line @param {number} level */
  #drawGroup(lines, line, level) {
    const summary = lines.summary(line.kind, line.id);
    const last = lines.store.row(summary.last);
    const group = { words, isCall: line.kind === "call", last, summary, isMasked: isPresenting() };
    for (const cell of this.#cells) {
      const { groupText, groupTitle } = cell.column;
      cell.text.write(groupText?.(group) ?? "");
      if (groupTitle) cell.setTitle(groupTitle(group));
    }
    if (group.isCall) this.#describePath(last, level === 1, group.isMasked);
    else {
      this.#writeBesidePath("", "");
      this.#path.setTitle(flowName(last.flow, t));
    }
    this.#setTone(group.isCall ? rowTone(last) : summary.failed ? "bad" : "plain", group.isCall && isFaulted(last) ? last : null);
  }

  /** @param {string} text */
  #drawNotice(text) {
    for (const cell of this.#cells) cell.text.write(cell === this.#path ? text : "");
    this.#path.setTitle(text);
    this.#writeBesidePath("", "");
    this.#setTone("muted", null);
  }
}

/** How long the view must rest until its order in the document is corrected, and after how long it is anyway, in milliseconds. */
const [rest, disorder] = [200, 2000];

/**
 * The elements of the visible lines. While lines come and go, an element is only filled and positioned again, because
 * moving it in the document costs a layout of three frames. The order there is corrected when the view rests.
 */
export class GridRows {
  /** In order. @type {GridRow[]} */
  drawn = [];
  #start = 0;
  /** @type {GridRow[]} */
  #spare = [];
  #timer = 0;
  #since = 0;
  #last = -rest;
  columns = allColumns;
  /** Called when the elements are in order and the view rests. */
  onRest = () => {};

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
    // The first change after a pause is ordered at once, further ones when they pause.
    const now = performance.now();
    const isRested = !this.#timer && now - this.#last > rest;
    this.#last = now;
    if (isRested) return this.#arrange();
    if (!this.#timer) this.#since = now;
    else if (now - this.#since > disorder) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#arrange(), rest);
  }

  /** Shows these columns, in this order. @param {string[]} columns */
  show(columns) {
    this.columns = columns;
    for (const row of [...this.drawn, ...this.#spare]) row.element.remove();
    this.drawn = [];
    this.#spare = [];
  }

  /** An unused element, preferably of the same kind, which keeps most of its style. @param {boolean} isRow */
  #take(isRow) {
    const at = this.#spare.findLastIndex((one) => (one.drawn.value >= 0) === isRow);
    return this.#spare.splice(at, 1)[0] ?? new GridRow(this.columns);
  }

  /** Puts the elements into the order of their lines; most of them only move from one end to the other. */
  #arrange() {
    this.#timer = 0;
    const { place } = this;
    this.onRest();
    if (isPressed(place)) {
      this.#timer = setTimeout(() => this.#arrange(), rest);
      return;
    }
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

/** @param {import("../../models/network/row-lines.js").Gap} gap @param {import("../../models/network/row-store.js").RowStore} store */
function gapText({ missed, after, at, isEnd }, store) {
  if (!isEnd) return t(missed === null ? "network.gap" : "network.gap_count", { n: missed ?? 0, time: clockTime(at) });
  // The console was there when the last row ended, and started again at `at`.
  const seen = store.endedAt(after);
  return seen !== null && seen <= at
    ? t("network.ended", { from: moment(seen), to: moment(at) })
    : t("network.ended_before", { time: moment(at) });
}

/** A line's label of the fault rule that acted on its row. @param {import("../../models/network/row-view.js").NetworkRow} row */
export const faultLabel = ({ fault }) => fault ? t("row.fault", { name: faultName(fault) }) : t("row.faulted");
