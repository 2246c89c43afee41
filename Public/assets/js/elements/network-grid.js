// @ts-check
import { need } from "../helpers/dom.js";
import { RowLines } from "../models/row-lines.js";
import { RowSelection } from "../models/row-selection.js";
import { RowStore } from "../models/row-store.js";
import { isAtEnd, moveActive, rowWindow, scrollToRow } from "../models/row-window.js";
import { actOn } from "./grid-keys.js";
import { GridRow } from "./grid-row.js";

/** Where lines stood on the screen, the wanted one first: pixels from the top by key. @typedef {{key: string, offset: number}[]} Hold */

/**
 * The rows of a log, of which only those in view are elements. One tab stop: focus rests on the active line, or on the grid while
 * that line is out of view. Dispatches `open` and `move` with the id of a row, `pin` likewise, `select` when the selection changed,
 * `sort`, and `follow` when the view leaves or reaches the end.
 */
export class NetworkGrid extends HTMLElement {
  constructor() {
    super();
    this.store = new RowStore();
    this.lines = new RowLines(this.store);
    this.selection = new RowSelection(this.lines);
    /** The key of the line that has the focus. @type {string | null} */
    this.active = null;
    /** Where a range of selected rows begins. @type {string | null} */
    this.pivot = null;
    this.isFollowing = true;
    this.isScheduled = false;
    this.rowHeight = 28;
    this.viewport = 0;
    this.drawnCount = -1;
    /** The rows in view, in order. @type {GridRow[]} */
    this.drawn = [];
    /** @type {GridRow[]} */
    this.spare = [];
    this.grid = need(this, "#network-grid", HTMLElement);
    this.sizer = need(this, ".grid-sizer", HTMLElement);
    this.rows = need(this, ".grid-window", HTMLElement);
  }

  connectedCallback() {
    this.grid.addEventListener("scroll", () => this.scrolled(), { passive: true });
    this.grid.addEventListener("keydown", (event) => {
      if (event.target instanceof Element && event.target.closest(".grid-head")) return;
      if (this.key(event)) event.preventDefault();
    });
    this.rows.addEventListener("click", (event) => this.clicked(event));
    new ResizeObserver(() => {
      this.viewport = Math.max(0, this.grid.clientHeight - this.rowHeight);
      this.schedule();
    }).observe(this.grid);
  }

  /** Draws in the next frame; many changes make one frame. */
  schedule() {
    if (this.isScheduled) return;
    this.isScheduled = true;
    requestAnimationFrame(() => {
      this.isScheduled = false;
      this.paint();
    });
  }

  /** Remembers where the lines in view stand, before they change. @param {string | null} [first] the line to keep where it is @returns {Hold} */
  hold(first = null) {
    const { lines, rowHeight } = this;
    const top = this.grid.scrollTop;
    const start = Math.floor(top / rowHeight);
    /** @type {Hold} */
    const held = [];
    const place = lines.placeOf(first);
    if (first && place >= 0) held.push({ key: first, offset: place * rowHeight - top });
    for (let next = start; next < Math.min(lines.count, start + 40); next += 1) {
      const key = lines.keyAt(next);
      if (key && key !== "dropped") held.push({ key, offset: next * rowHeight - top });
    }
    return held;
  }

  /** Puts the lines back where they stood, after they changed. @param {Hold} held */
  keep(held) {
    this.schedule();
    if (this.isFollowing) return;
    for (const { key, offset } of held) {
      const place = this.lines.placeOf(key);
      if (place < 0) continue;
      const top = place * this.rowHeight - offset;
      if (Math.abs(top - this.grid.scrollTop) >= 1) {
        this.resize();
        this.grid.scrollTop = top;
      }
      return;
    }
  }

  /** Runs a change of the lines so that what is read stays where it is. @param {() => void} change @param {string | null} [first] */
  changing(change, first = null) {
    const held = this.isFollowing && !first ? [] : this.hold(first);
    change();
    this.keep(held);
  }

  /** Shows another log in place of this one; what is chosen stays chosen. @param {RowStore} store */
  swap(store) {
    const chosen = this.selection.ids;
    this.store = store;
    this.lines.store = store;
    this.selection.add(chosen);
  }

  /** Goes to the newest row and stays there. */
  follow() {
    this.isFollowing = true;
    this.drawnCount = -1;
    this.schedule();
    this.dispatchEvent(new Event("follow"));
  }

  leaveEnd() {
    if (!this.isFollowing) return;
    this.isFollowing = false;
    this.dispatchEvent(new Event("follow"));
  }

  scrolled() {
    const isEnd = isAtEnd(this.grid.scrollTop, this.viewport, this.lines.count * this.rowHeight) && !this.lines.order;
    if (isEnd !== this.isFollowing && !this.isScheduled) {
      this.isFollowing = isEnd;
      this.dispatchEvent(new Event("follow"));
    }
    this.schedule();
  }

  resize() {
    if (this.drawnCount === this.lines.count) return;
    this.drawnCount = this.lines.count;
    this.sizer.style.blockSize = `${this.lines.count * this.rowHeight}px`;
    this.grid.setAttribute("aria-rowcount", String(this.lines.count + 1));
  }

  paint() {
    const { grid, lines, rows } = this;
    if (this.hidden) return;
    if (this.isFollowing && this.drawnCount !== lines.count) {
      this.resize();
      grid.scrollTop = lines.count * this.rowHeight;
    } else this.resize();
    const view = rowWindow(lines.count, this.rowHeight, grid.scrollTop, this.viewport);
    const active = lines.placeOf(this.active);
    const held = document.activeElement;
    const isHeld = held instanceof HTMLElement && held.parentElement === rows;

    // A line that stays in view keeps its element, also where its place changed.
    /** @type {Map<number, GridRow>} */
    const known = new Map(this.drawn.map((row) => [row.drawn.value, row]));
    /** @type {Map<number, GridRow>} */
    const kept = new Map();
    for (let place = view.start; place < view.end; place += 1) {
      const row = known.get(lines.values[place] ?? 0);
      if (row) kept.set(place, row);
    }
    const stay = new Set(kept.values());
    this.spare.push(...this.drawn.filter((row) => !stay.has(row)));
    if (isHeld && this.spare.some((row) => row.element === held)) grid.focus({ preventScroll: true });
    /** @type {GridRow[]} */
    const drawn = [];
    let cursor = rows.firstElementChild;
    for (let place = view.start; place < view.end; place += 1) {
      const row = kept.get(place) ?? this.spare.pop() ?? new GridRow();
      row.fill(lines, place, place === active);
      drawn.push(row);
      if (row.element === cursor) cursor = cursor.nextElementSibling;
      else rows.insertBefore(row.element, cursor);
    }
    for (const row of this.spare) row.element.remove();
    this.drawn = drawn;
    rows.style.transform = `translateY(${view.offset}px)`;

    const focused = active >= view.start && active < view.end ? drawn[active - view.start]?.element : undefined;
    if (grid.tabIndex !== (focused ? -1 : 0)) grid.tabIndex = focused ? -1 : 0;
    if (focused && document.activeElement === grid) focused.focus({ preventScroll: true });
  }

  /** Moves, opens, folds or selects by a key; false when the key is none of the grid's. @param {Pick<KeyboardEvent, "key" | "shiftKey" | "ctrlKey" | "metaKey" | "altKey">} event */
  key({ key, shiftKey, ctrlKey, metaKey, altKey }) {
    if (altKey) return false;
    if (ctrlKey || metaKey) {
      if (key.toLowerCase() !== "a" || shiftKey) return false;
      this.selection.range(0, this.lines.count - 1);
      this.selected();
      return true;
    }
    const at = this.lines.placeOf(this.active);
    if (at >= 0 && actOn(this, key, at)) return true;
    const page = Math.max(1, Math.floor(this.viewport / this.rowHeight) - 1);
    const target = moveActive(key, at, this.lines.count, page);
    if (target === null) return false;
    this.moveTo(target, shiftKey);
    return true;
  }

  /** @param {number} place @param {boolean} isRange */
  moveTo(place, isRange) {
    const key = this.lines.keyAt(place);
    if (!key) return;
    if (isRange) this.selectRange(key);
    else this.pivot = key;
    this.activate(key, true);
    if ((this.lines.values[place] ?? -1) >= 0) this.dispatchEvent(new CustomEvent("move", { detail: key }));
  }

  /** Opens or folds the group at this place. @param {number} place */
  fold(place) {
    const line = this.lines.line(place);
    if (line.kind !== "flow" && line.kind !== "call") return;
    const id = this.store.ids.text(line.id);
    this.leaveEnd();
    this.changing(() => {
      if (line.isOpen) this.lines.folded.add(id);
      else this.lines.folded.delete(id);
      this.lines.layout();
    }, this.lines.keyAt(place));
  }

  /** Makes a line the active one and brings it into view. @param {string | null} key @param {boolean} isFocused */
  activate(key, isFocused) {
    this.active = key;
    const place = this.lines.placeOf(key);
    if (place >= 0) {
      if (place < this.lines.count - 1) this.leaveEnd();
      this.resize();
      if (!this.isFollowing) {
        this.grid.scrollTop = scrollToRow(place, this.rowHeight, this.grid.scrollTop, this.viewport);
      }
    }
    this.paint();
    if (isFocused && key) {
      (this.drawn.find((row) => row.drawn.index === place)?.element ?? this.grid).focus({ preventScroll: true });
    }
  }

  /** @param {string} id */
  open(id) {
    this.activate(id, true);
    this.dispatchEvent(new CustomEvent("open", { detail: id }));
  }

  /** @param {MouseEvent} event */
  clicked(event) {
    const element = event.target instanceof Element ? event.target.closest('[role="row"]') : null;
    const row = this.drawn.find((one) => one.element === element);
    const key = row ? this.lines.keyAt(row.drawn.index) : null;
    if (!row || !key) return;
    const line = this.lines.line(row.drawn.index);
    if (line.kind !== "row") {
      this.activate(key, true);
      return this.fold(row.drawn.index);
    }
    if (event.shiftKey) {
      getSelection()?.removeAllRanges();
      this.selectRange(key);
      return this.activate(key, true);
    }
    if (event.ctrlKey || event.metaKey) {
      this.pivot = key;
      this.toggle([line.slot]);
      return this.activate(key, true);
    }
    if (getSelection()?.toString()) return;
    this.pivot = key;
    this.open(key);
  }

  /** Selects from the pivot to this line and nothing else. @param {string} key */
  selectRange(key) {
    this.selection.range(this.lines.placeOf(this.pivot ?? this.active ?? key), this.lines.placeOf(key));
    this.selected();
  }

  /** @param {number[]} slots */
  toggle(slots) {
    this.selection.toggle(slots);
    this.selected();
  }

  selected() {
    this.schedule();
    this.dispatchEvent(new Event("select"));
  }
}

customElements.define("network-grid", NetworkGrid);
