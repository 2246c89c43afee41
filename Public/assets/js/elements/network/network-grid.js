// @ts-check
import { need } from "../../helpers/dom.js";
import { RowLines } from "../../models/network/row-lines.js";
import { flag, RowStore } from "../../models/network/row-store.js";
import { isGridAtEnd, moveActive, rowWindow, scrollToRow, viewportOf } from "../../models/network/row-view.js";
import { GridColumns } from "./grid-columns.js";
import { GridRows } from "./grid-row.js";

/** Where lines were on the screen, the preferred one first: pixels from the top by key. @typedef {{key: string, offset: number}[]} Hold */

/**
 * The rows of a log; only visible rows have elements. One tab stop: the focus is on the active line, or on the grid while
 * that line is out of view. Dispatches `open` and `move` with the id of a row, `pin` likewise, `choose` with the slots to toggle or
 * the places from and to which to select, and `follow` when the view leaves or reaches the end.
 */
export class NetworkGrid extends HTMLElement {
  store = new RowStore();
  lines = new RowLines(this.store);
  /** The key of the line that has the focus. @type {string | null} */
  active = null;
  /** The first row of a range selection. @type {string | null} */
  #pivot = null;
  /** The row that was pressed last, without a key: a press with Ctrl adds it to the selection. @type {string | null} */
  #pressed = null;
  /** A recording is read from its start. */
  isFollowing = !new URLSearchParams(location.search).has("recording");
  #isScheduled = false;
  rowHeight = 28;
  #drawnCount = -1;
  #viewport = 0;
  grid = need(this, "#network-grid", HTMLElement);
  #sizer = need(this, ".grid-sizer", HTMLElement);
  rows = new GridRows(need(this, ".grid-window", HTMLElement));
  columns = new GridColumns(this);
  /** Draws the waterfall; loaded after the first rows are shown. @type {import("./fall-bars.js").FallBars | null} */
  bars = null;

  connectedCallback() {
    this.grid.addEventListener("scroll", () => this.#scrolled(), { passive: true });
    this.grid.addEventListener("keydown", (event) => {
      const isHead = event.target instanceof Element && event.target.closest(".grid-head");
      if (!isHead && this.key(event)) event.preventDefault();
    });
    this.rows.place.addEventListener("click", (event) => this.#clicked(event));
    document.addEventListener("present", () => this.changing(() => this.recreateRows(this.rows.columns)));
    new ResizeObserver(() => this.#resized()).observe(this.grid);
  }

  /** Keeps the end, or the active line, in view after the view's height changed; false if it is as before. */
  #resized() {
    const isSeen = !this.isFollowing && this.rows.at(this.lines.placeOf(this.active));
    if (!this.#measure()) return false;
    if (isSeen) this.activate(this.active, false); // What was in view stays there, such as the row that was just opened.
    if (this.isFollowing) this.#drawnCount = -1;
    this.schedule();
    return true;
  }

  /** Measures the view; true if it changed. */
  #measure = () => this.#viewport !== (this.#viewport = viewportOf(this.grid, this.rowHeight));

  /** Draws lines of another height, or with other columns. @param {number} height pixels */
  setRowHeight(height) {
    this.changing(() => [this.rowHeight, this.#drawnCount] = [height, -1]);
  }

  /** Makes new elements for the lines, with these columns; the focus stays where it is. @param {string[]} columns */
  recreateRows(columns) {
    const isHeld = this.rows.place.contains(document.activeElement);
    this.rows.show(columns);
    if (isHeld) this.grid.focus({ preventScroll: true });
  }

  /** Draws in the next frame, once for any number of changes. */
  schedule() {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    requestAnimationFrame(() => {
      this.#isScheduled = false;
      this.#paint();
    });
  }

  /**
   * Remembers the positions of the visible lines before they change.
   * @param {string | null} [first] the line to keep in place
   * @returns {Hold}
   */
  #hold(first = null) {
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

  /** Restores the positions of the lines after a change. @param {Hold} held */
  #keep(held) {
    this.schedule();
    if (this.isFollowing) return;
    for (const { key, offset } of held) {
      const place = this.lines.placeOf(key);
      if (place < 0) continue;
      const top = place * this.rowHeight - offset;
      if (Math.abs(top - this.grid.scrollTop) >= 1) {
        this.#resize();
        this.grid.scrollTop = top;
      }
      return;
    }
  }

  /** Changes the lines without moving the visible ones. @param {() => void} change @param {string | null} [first] */
  changing(change, first = null) {
    const held = this.isFollowing && !first ? [] : this.#hold(first);
    change();
    this.#keep(held);
  }

  /** Shows another log in place of this one and keeps the selection. @param {RowStore} store */
  swap(store) {
    const old = this.store;
    this.store = store;
    this.lines.store = store;
    for (let place = 0; place < old.count; place += 1) {
      if (!((old.columns.flags[old.slotAt(place)] ?? 0) & flag.selected)) continue;
      const slot = store.slotOf(old.idOf(old.slotAt(place)));
      if (slot >= 0) store.columns.flags[slot] = (store.columns.flags[slot] ?? 0) | flag.selected;
    }
  }

  /** Goes to the newest row and stays there. */
  follow() {
    this.#drawnCount = -1;
    this.schedule();
    this.#setFollowing(true);
  }

  leaveEnd() {
    if (this.isFollowing) this.#setFollowing(false);
  }

  #setFollowing(/** @type {boolean} */ isFollowing) {
    this.isFollowing = isFollowing;
    this.dispatchEvent(new Event("follow"));
  }

  #scrolled() {
    // A scroll event can come between a change of the height and its observer, without a person's scrolling.
    if (this.isFollowing && this.#resized()) return;
    const isEnd = isGridAtEnd(this.grid, this.rowHeight, this.lines.count) && !this.lines.order;
    if (isEnd !== this.isFollowing && !this.#isScheduled) this.#setFollowing(isEnd);
    this.schedule();
  }

  #resize() {
    if (this.#drawnCount === this.lines.count) return;
    this.#drawnCount = this.lines.count;
    this.#sizer.style.blockSize = `${this.lines.count * this.rowHeight}px`;
    this.grid.setAttribute("aria-rowcount", String(this.lines.count + 1));
  }

  #paint() {
    const { grid, lines, rows } = this;
    if (this.hidden) return;
    if (!this.#viewport || this.columns.varied !== this.store.varied) {
      // The observers do so after the first frame, which would show other columns and few rows only.
      this.columns.show();
      this.#measure();
    }
    const isLonger = this.isFollowing && this.#drawnCount !== lines.count;
    const scrollTop = isLonger ? Math.max(0, lines.count * this.rowHeight - this.#viewport) : grid.scrollTop;
    this.#resize(); // The place is known before the rows change, after which it would cost a layout.
    const view = rowWindow(lines.count, this.rowHeight, scrollTop, this.#viewport);
    const active = lines.placeOf(this.active);
    const held = rows.drawn.find((one) => one.element === document.activeElement);
    const was = held?.drawn;
    rows.draw(lines, view, this.rowHeight, active);
    if (isLonger) grid.scrollTop = scrollTop;
    const top = scrollTop / this.rowHeight;
    this.bars?.draw(lines, Math.floor(top), Math.ceil(top + this.#viewport / this.rowHeight) - 1, rows.drawn, this.isFollowing);
    // The element that had the focus may be removed, or show another line.
    const now = held?.drawn;
    const isOther = now?.value !== was?.value || now?.id !== was?.id || now?.store !== was?.store || now?.generation !== was?.generation;
    if (held && (isOther || document.activeElement !== held.element)) grid.focus({ preventScroll: true });
    const focused = rows.at(active)?.element;
    if (grid.tabIndex !== (focused ? -1 : 0)) grid.tabIndex = focused ? -1 : 0;
    if (focused && document.activeElement === grid) focused.focus({ preventScroll: true });
  }

  /**
   * Handles a key of the grid; returns false for other keys.
   * @param {Pick<KeyboardEvent, "key" | "shiftKey" | "ctrlKey" | "metaKey" | "altKey">} event
   */
  key({ key, shiftKey, ctrlKey, metaKey, altKey }) {
    if (altKey) return false;
    if (ctrlKey || metaKey) {
      if (key.toLowerCase() !== "a" || shiftKey) return false;
      this.choose({ from: 0, to: this.lines.count - 1 });
      return true;
    }
    const at = this.lines.placeOf(this.active);
    if (at >= 0 && actOn(this, key, at)) return true;
    const page = Math.max(1, Math.floor(this.#viewport / this.rowHeight) - 1);
    const target = moveActive(key, at, this.lines.count, page);
    if (target === null) return false;
    this.moveTo(target, shiftKey);
    return true;
  }

  /** @param {number} place @param {boolean} isRange */
  moveTo(place, isRange) {
    const key = this.lines.keyAt(place);
    if (!key) return;
    if (isRange) this.#selectRange(key);
    else this.#pivot = key;
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
      this.lines.folded[line.isOpen ? "add" : "delete"](id);
      this.lines.layout();
    }, this.lines.keyAt(place));
  }

  /** Makes a line the active one and brings it into view. @param {string | null} key @param {boolean} isFocused */
  activate(key, isFocused) {
    this.active = key;
    const place = this.lines.placeOf(key);
    if (place >= 0) {
      if (place < this.lines.count - 1) this.leaveEnd();
      this.#resize();
      if (!this.isFollowing) {
        this.grid.scrollTop = scrollToRow(place, this.rowHeight, this.grid.scrollTop, this.#viewport);
        // Its scroll event may come while a frame is scheduled, and then does not show the end.
        if (place === this.lines.count - 1 && !this.lines.order) this.#setFollowing(true);
      }
    }
    this.#paint();
    if (isFocused && key) (this.rows.at(place)?.element ?? this.grid).focus({ preventScroll: true });
  }

  /** @param {string} id */
  open(id) {
    this.activate(id, true);
    this.dispatchEvent(new CustomEvent("open", { detail: id }));
  }

  /** @param {MouseEvent} event */
  #clicked(event) {
    const element = event.target instanceof Element ? event.target.closest('[role="row"]') : null;
    const row = this.rows.drawn.find((one) => one.element === element);
    const key = row ? this.lines.keyAt(row.drawn.index) : null;
    if (!row || !key) return;
    const line = this.lines.line(row.drawn.index);
    if (line.kind !== "row") {
      this.activate(key, true);
      return this.fold(row.drawn.index);
    }
    if (event.shiftKey) {
      getSelection()?.removeAllRanges();
      this.#selectRange(key);
      return this.activate(key, true);
    }
    if (event.ctrlKey || event.metaKey) {
      const beside = this.#pressed === key ? -1 : this.store.slotOf(this.#pressed);
      [this.#pivot, this.#pressed] = [key, null];
      this.choose({ slots: [line.slot], beside });
      return this.activate(key, true);
    }
    if (getSelection()?.toString()) return;
    this.#pivot = this.#pressed = key;
    this.open(key);
  }

  /** Selects from the pivot to this line and nothing else. @param {string} key */
  #selectRange(key) {
    this.choose({ from: this.lines.placeOf(this.#pivot ?? this.active ?? key), to: this.lines.placeOf(key) });
  }

  /** @param {import("../../models/network/row-selection.js").Choice} choice */
  choose(choice) {
    this.dispatchEvent(new CustomEvent("choose", { detail: choice }));
  }
}

/** Handles a key on the line at this place; false for other keys. @param {NetworkGrid} grid @param {string} key @param {number} at */
function actOn(grid, key, at) {
  const line = grid.lines.line(at);
  const isRightToLeft = getComputedStyle(grid).direction === "rtl";
  const [inward, outward] = isRightToLeft ? ["ArrowLeft", "ArrowRight"] : ["ArrowRight", "ArrowLeft"];
  if (line.kind === "flow" || line.kind === "call") {
    if (key === "Enter" || (key === inward && !line.isOpen) || (key === outward && line.isOpen)) grid.fold(at);
    else if (key === " ") grid.choose({ slots: [...grid.lines.slotsOf(line.kind, line.id)] });
    else return false;
    return true;
  }
  if (line.kind !== "row") return false;
  if (key === "Enter" || key === "o") grid.open(grid.active ?? "");
  else if (key === " ") grid.choose({ slots: [line.slot] });
  else if (key === "p") grid.dispatchEvent(new CustomEvent("pin", { detail: grid.active }));
  else if (key === outward && grid.lines.hasGroups && line.level > 1) {
    let head = at;
    while (head > 0 && (grid.lines.values[head] ?? 0) >= 0) head -= 1;
    grid.moveTo(head, false);
  } else return false;
  return true;
}

customElements.define("network-grid", NetworkGrid);
