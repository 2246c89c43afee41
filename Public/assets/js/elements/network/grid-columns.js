// @ts-check
import { announce, h, need } from "../../helpers/dom.js";
import { t } from "../../helpers/i18n.js";
import { openMenu } from "../../helpers/menu.js";
import {
  allColumns,
  bounded,
  boundedSplit,
  columnLayout,
  firstSettings,
  fixedColumns,
  movedOrder,
  readSettings,
} from "../../models/network/columns.js";
import { loadWords } from "../../page.js";

/** @typedef {import("./network-grid.js").NetworkGrid} NetworkGrid */

/** Where the browser keeps the settings. */
const settingsKey = "understudy.grid";
const rootSize = () => Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16;

/** The grid's columns, density, and room beside the details as the user wants them. */
export class GridColumns {
  #settings = readSettings(localStorage.getItem(settingsKey));
  #shown = "";
  /** The columns that the lines were made with. */
  #drawn = "";

  /** @param {NetworkGrid} grid */
  constructor(grid) {
    this.grid = grid;
    this.body = /** @type {HTMLElement} */ (grid.closest(".console-body"));
    this.head = need(grid, ".grid-head .grid-row", HTMLElement);
    new ResizeObserver(() => this.show()).observe(grid);
    this.show();
    attachHandles(this);
    attachSplitter(this, need(this.body, "#splitter", HTMLElement));
  }

  /** Shows the columns that fit, in their order. */
  show() {
    const { grid } = this;
    const { isCompact, split } = this.#settings;
    const place = grid.grid;
    const rowHeight = isCompact ? 24 : 28;
    place.toggleAttribute("data-compact", isCompact);
    if (split !== null) this.body.style.setProperty("--split", `${split}%`);
    else this.body.style.removeProperty("--split");
    const { shown, template } = columnLayout(this.#settings, place.clientWidth / rootSize());
    const key = `${shown} ${template} ${rowHeight}`;
    if (!place.clientWidth || key === this.#shown) return;
    this.#shown = key;
    place.toggleAttribute("data-columns", true);
    place.style.setProperty("--columns", template);
    if (grid.rowHeight !== rowHeight) grid.setRowHeight(rowHeight);
    if (this.#drawn === shown.join()) return;
    this.#drawn = shown.join();
    for (const name of allColumns) need(this.head, `.c-${name}`, HTMLElement).hidden = !shown.includes(name);
    this.head.append(...shown.map((name) => need(this.head, `.c-${name}`, HTMLElement)));
    grid.rows.show(shown);
    grid.schedule();
  }

  /** @param {Partial<import("../../models/network/columns.js").GridSettings>} change */
  #change(change) {
    Object.assign(this.#settings, change);
    localStorage.setItem(settingsKey, JSON.stringify(this.#settings));
    this.show();
  }

  /** The width of a column on the screen in rem. @param {string} name */
  widthOf(name) {
    return need(this.head, `.c-${name}`, HTMLElement).offsetWidth / rootSize();
  }

  /** @param {string} name @param {number} width rem */
  resize(name, width) {
    this.#change({ widths: { ...this.#settings.widths, [name]: bounded(width) } });
  }

  /** Moves a column before or after its neighbour. @param {string} name @param {number} step */
  move(name, step) {
    const order = movedOrder(this.#settings, name, step);
    if (order === this.#settings.order) return;
    const held = document.activeElement;
    this.#change({ order });
    if (held instanceof HTMLElement) held.focus();
    announce(t("columns.moved", { name: titleOf(this.head, name) }));
  }

  /** Sets the share of the details. @param {number | null} share percent */
  split(share) {
    this.#change({ split: share === null ? null : boundedSplit(share) });
  }

  /** Opens the menu in which columns are shown and hidden. @param {Element} place */
  async openMenu(place) {
    await loadWords("columns");
    const { hidden, order, isCompact } = this.#settings;
    await openMenu(t("columns.title"), [
      { id: "compact", label: t("columns.compact"), isChecked: isCompact, act: () => this.#change({ isCompact: !isCompact }) },
      null,
      ...order.filter((name) => !fixedColumns.includes(name)).map((name) => ({
        id: name,
        label: name === "seq" ? t("columns.number") : titleOf(this.head, name),
        isChecked: !hidden.includes(name),
        act: () => this.#toggle(name),
      })),
      null,
      { id: "reset", label: t("columns.reset"), act: () => this.#change(firstSettings()) },
    ], place);
  }

  /** @param {string} name */
  #toggle(name) {
    const { hidden } = this.#settings;
    this.#change({ hidden: hidden.includes(name) ? hidden.filter((one) => one !== name) : [...hidden, name] });
  }
}

/** @param {HTMLElement} head @param {string} name */
const titleOf = (head, name) => need(head, `.c-${name}`, HTMLElement).textContent?.trim() ?? name;

/**
 * Handles between the columns, dragged with the pointer. With Alt, the arrow keys of a title change the column's width; with Alt
 * and Shift, they move the column.
 * @param {GridColumns} columns
 */
function attachHandles(columns) {
  const { head } = columns;
  const forward = () => (getComputedStyle(head).direction === "rtl" ? -1 : 1);
  for (const name of allColumns) {
    const cell = need(head, `.c-${name}`, HTMLElement);
    const handle = h("span", { class: "column-handle", "data-handle": name, "aria-hidden": "true" });
    cell.append(handle);
    handle.addEventListener("click", (event) => event.stopPropagation());
    cell.addEventListener("pointerdown", (event) => drag(columns, name, cell, event));
    handle.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      event.preventDefault();
      event.stopPropagation();
      const [from, width, sign] = [event.clientX, columns.widthOf(name), forward()];
      follow(handle, event, (now) => columns.resize(name, width + ((now.clientX - from) * sign) / rootSize()));
    });
  }
  head.addEventListener("keydown", (event) => {
    const step = { ArrowRight: forward(), ArrowLeft: -forward() }[event.key];
    const cell = event.target instanceof Element ? event.target.closest("[role=columnheader]") : null;
    const name = allColumns.find((one) => cell?.classList.contains(`c-${one}`));
    if (!step || !name || !event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    if (event.shiftKey) columns.move(name, step);
    else columns.resize(name, columns.widthOf(name) + step);
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
      const other = need(columns.head, `.c-${one}`, HTMLElement).getBoundingClientRect();
      return now.clientX >= other.left && now.clientX < other.right;
    });
    if (!under || under === name) return;
    const isLater = Boolean(cell.compareDocumentPosition(need(columns.head, `.c-${under}`, HTMLElement)) & 4);
    // A narrow column that moves past a wide one would else be under the pointer's old place, and go back and forth.
    const other = need(columns.head, `.c-${under}`, HTMLElement).getBoundingClientRect();
    const sign = (now.clientX - (other.left + other.right) / 2) * ((box.left - other.left) < 0 ? 1 : -1);
    if (sign > 0) columns.move(name, isLater ? 1 : -1);
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
    columns.split(next);
    bar.setAttribute("aria-valuenow", String(Math.round(share())));
  };
  bar.addEventListener("focus", () => bar.setAttribute("aria-valuenow", String(Math.round(share()))));
  bar.addEventListener("dblclick", () => columns.split(null));
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
 * @param {(now: PointerEvent) => void} move
 */
function follow(handle, event, move) {
  const over = new AbortController();
  const { signal } = over;
  handle.setPointerCapture(event.pointerId);
  handle.addEventListener("pointermove", move, { signal });
  for (const name of /** @type {const} */ (["pointerup", "pointercancel"])) {
    handle.addEventListener(name, () => over.abort(), { signal });
  }
}
