// @ts-check
import { announce, h, need } from "../../helpers/dom.js";
import { t } from "../../helpers/i18n.js";
import { openMenu } from "../common/menu.js";
import { allColumns, bounded, boundedSplit, firstSettings, fixedColumns, isWanted, toggled } from "../../models/network/columns.js";
import { movedOrder } from "../../models/network/moved-column.js";
import { rootSize } from "./grid-columns.js";

/** @typedef {import("./grid-columns.js").GridColumns} GridColumns */

/** Lets the user resize, move and hide columns, and divide the room between the grid and the details. */
export class ColumnEditor {
  /** @param {GridColumns} columns */
  constructor(columns) {
    this.columns = columns;
    attachHandles(columns);
    attachSplitter(columns, need(columns.body, "#splitter", HTMLElement));
  }

  /**
   * Opens the menu of the grid's columns and density.
   * @param {Element} place
   * @param {import("../common/menu.js").MenuItem[]} first
   */
  async openMenu(place, first) {
    const { columns } = this;
    const { order, isCompact } = columns.settings;
    await openMenu(t("network.view"), [
      ...first,
      { id: "compact", label: t("columns.compact"), isChecked: isCompact, act: () => columns.change({ isCompact: !isCompact }) },
      null,
      ...order.filter((name) => !fixedColumns.includes(name)).map((name) => ({
        id: name,
        label: name === "seq" ? t("columns.number") : titleText(columns, name),
        isChecked: isWanted(columns.settings, name, columns.grid.store.varied),
        act: () => this.#toggle(name),
      })),
      null,
      { id: "reset", label: t("columns.reset"), act: () => columns.change(firstSettings()) },
    ], place);
  }

  /** @param {string} name */
  #toggle(name) {
    this.columns.change(toggled(this.columns.settings, name, this.columns.grid.store.varied));
  }
}

/** @param {GridColumns} columns @param {string} name */
const titleText = (columns, name) => columns.titleOf(name).textContent?.trim() ?? name;

/** The width of a column on the screen in rem. @param {GridColumns} columns @param {string} name */
const widthOf = (columns, name) => columns.titleOf(name).offsetWidth / rootSize();

/** @param {GridColumns} columns @param {string} name @param {number} width rem */
function resize(columns, name, width) {
  columns.change({ widths: { ...columns.settings.widths, [name]: bounded(width) } });
}

/**
 * Moves a column before or after its neighbor, and announces it.
 * @param {GridColumns} columns
 * @param {string} name
 * @param {number} step
 */
function move(columns, name, step) {
  const order = movedOrder(columns.settings, name, step, columns.grid.store.varied);
  if (order === columns.settings.order) return;
  columns.change({ order });
  announce(t("columns.moved", { name: titleText(columns, name) }));
}

/** Sets the share of the details; null is the usual one. @param {GridColumns} columns @param {number | null} share percent */
function split(columns, share) {
  columns.change({ split: share === null ? null : boundedSplit(share) });
}

/**
 * Handles between the columns, dragged with the pointer. With Alt, the arrow keys of a title change the column's width; with Alt
 * and Shift, they move the column.
 * @param {GridColumns} columns
 */
function attachHandles(columns) {
  const { head } = columns;
  const forward = () => (getComputedStyle(head).direction === "rtl" ? -1 : 1);
  for (const [name, cell] of columns.titles) {
    const handle = h("span", { class: "column-handle", "data-handle": name, "aria-hidden": "true" });
    cell.append(handle);
    handle.addEventListener("click", (event) => event.stopPropagation());
    cell.addEventListener("pointerdown", (event) => drag(columns, name, cell, event));
    handle.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      event.preventDefault();
      event.stopPropagation();
      const [from, width, sign] = [event.clientX, widthOf(columns, name), forward()];
      follow(handle, event, (now) => resize(columns, name, width + ((now.clientX - from) * sign) / rootSize()));
    });
  }
  head.addEventListener("keydown", (event) => {
    const step = { ArrowRight: forward(), ArrowLeft: -forward() }[event.key];
    const cell = event.target instanceof Element ? event.target.closest("[role=columnheader]") : null;
    const name = allColumns.find((one) => cell?.classList.contains(`c-${one}`));
    if (!step || !name || !event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.shiftKey) move(columns, name, step);
    else resize(columns, name, widthOf(columns, name) + step);
  }, { capture: true });
}

/**
 * Moves a column along with a pointer that drags its title.
 * @param {GridColumns} columns
 * @param {string} name
 * @param {HTMLElement} cell
 * @param {PointerEvent} event
 */
function drag(columns, name, cell, event) {
  if (event.button !== 0 || event.pointerType === "touch") return;
  let isMoved = false;
  const over = new AbortController();
  const { signal } = over;
  document.addEventListener("pointermove", (now) => {
    if (!isMoved && Math.abs(now.clientX - event.clientX) < 8) return;
    isMoved = true;
    const box = cell.getBoundingClientRect();
    const under = allColumns.find((one) => {
      const other = columns.titleOf(one).getBoundingClientRect();
      return now.clientX >= other.left && now.clientX < other.right;
    });
    if (!under || under === name) return;
    const isLater = Boolean(cell.compareDocumentPosition(columns.titleOf(under)) & 4);
    // A narrow column that moves past a wide one would else be under the pointer's old place, and go back and forth.
    const other = columns.titleOf(under).getBoundingClientRect();
    const sign = (now.clientX - (other.left + other.right) / 2) * ((box.left - other.left) < 0 ? 1 : -1);
    if (sign > 0) move(columns, name, isLater ? 1 : -1);
  }, { signal });
  for (const end of /** @type {const} */ (["pointerup", "pointercancel"])) {
    document.addEventListener(end, () => {
      over.abort();
      // The end of a drag is no press of the title.
      if (!isMoved) return;
      const ended = new AbortController();
      cell.addEventListener("click", (press) => press.stopPropagation(), { capture: true, signal: ended.signal });
      setTimeout(() => ended.abort());
    }, { signal });
  }
}

/**
 * The bar between the grid and the details, which is dragged or moved with the arrow keys.
 * @param {GridColumns} columns
 * @param {HTMLElement} bar
 */
function attachSplitter(columns, bar) {
  const { body } = columns;
  const forward = () => (getComputedStyle(body).direction === "rtl" ? -1 : 1);
  const share = () => (need(body, "network-detail", HTMLElement).offsetWidth / Math.max(1, body.offsetWidth)) * 100;
  /** @param {number} next */
  const set = (next) => {
    split(columns, next);
    bar.setAttribute("aria-valuenow", String(Math.round(share())));
  };
  bar.addEventListener("focus", () => bar.setAttribute("aria-valuenow", String(Math.round(share()))));
  bar.addEventListener("dblclick", () => split(columns, null));
  bar.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    const [from, before, sign] = [event.clientX, share(), forward()];
    follow(bar, event, (now) => set(before - (((now.clientX - from) * sign) / body.offsetWidth) * 100));
  });
  bar.addEventListener("keydown", (event) => {
    const steps = { ArrowLeft: 2 * forward(), ArrowRight: -2 * forward(), Home: 100, End: -100 };
    if (!Object.hasOwn(steps, event.key)) return;
    event.preventDefault();
    event.stopPropagation();
    set(share() + steps[/** @type {keyof typeof steps} */ (event.key)]);
  });
}

/**
 * Calls back for each move of a pressed pointer.
 * @param {HTMLElement} handle
 * @param {PointerEvent} event
 * @param {(now: PointerEvent) => void} moved
 */
function follow(handle, event, moved) {
  const over = new AbortController();
  const { signal } = over;
  handle.setPointerCapture(event.pointerId);
  handle.addEventListener("pointermove", moved, { signal });
  for (const name of /** @type {const} */ (["pointerup", "pointercancel"])) {
    handle.addEventListener(name, () => over.abort(), { signal });
  }
}
