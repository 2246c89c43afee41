// @ts-check
import { h, need } from "../../helpers/dom.js";
import { translate } from "../../helpers/i18n.js";
import { columnLayout, columns, readSettings } from "../../models/network/columns.js";
import { ready } from "../../page.js";

/** @typedef {import("./network-grid.js").NetworkGrid} NetworkGrid */

const settingsKey = "understudy.grid";
export const rootSize = () => Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16;

/** The grid's head, and its columns, density, and width next to the details, as the user set them. */
export class GridColumns {
  settings = readSettings(localStorage.getItem(settingsKey));
  #shown = "";
  #drawn = "";
  /** For which of the log's rare columns the head was laid out. @type {readonly string[] | null} */
  varied = null;
  /** The titles of all columns by name. */
  titles = new Map(columns.map((column, index) => [column.name, titleCell(column, index === 0)]));

  /** @param {NetworkGrid} grid */
  constructor(grid) {
    this.grid = grid;
    this.body = /** @type {HTMLElement} */ (grid.closest(".console-body"));
    this.head = need(grid, ".grid-head .grid-row", HTMLElement);
    this.head.append(...this.titles.values());
    void ready.then(() => translate(this.head));
    new ResizeObserver(() => {
      if (this.show()) grid.schedule();
    }).observe(grid);
  }

  /** Shows the columns that fit, in their order. @returns {boolean} whether the lines have to be drawn again */
  show() {
    const { grid } = this;
    const { isCompact, split } = this.settings;
    const place = grid.grid;
    const rowHeight = isCompact ? 24 : 28;
    place.toggleAttribute("data-compact", isCompact);
    if (split !== null) this.body.style.setProperty("--split", `${split}%`);
    else this.body.style.removeProperty("--split");
    this.varied = grid.store.varied;
    const { shown, template, space } = columnLayout(this.settings, place.clientWidth / rootSize(), this.varied);
    const key = `${shown} ${template} ${rowHeight}`;
    if (!place.clientWidth || key === this.#shown) return false;
    this.#shown = key;
    const style = { columns: template, "column-gap": `${space.gap}rem`, "row-edge": `${space.edge}rem` };
    for (const [name, value] of Object.entries(style)) place.style.setProperty(`--${name}`, value);
    if (grid.rowHeight !== rowHeight) grid.setRowHeight(rowHeight);
    if (this.#drawn === shown.join()) return false;
    this.#drawn = shown.join();
    this.head.replaceChildren(...shown.map((name) => this.titleOf(name)));
    grid.recreateRows(shown);
    return true;
  }

  /** The title of a column. @param {string} name */
  titleOf(name) {
    return /** @type {HTMLElement} */ (this.titles.get(name));
  }

  /** @param {Partial<import("../../models/network/columns.js").GridSettings>} change */
  change(change) {
    Object.assign(this.settings, change);
    localStorage.setItem(settingsKey, JSON.stringify(this.settings));
    const held = document.activeElement;
    if (this.show()) this.grid.schedule();
    if (held instanceof HTMLElement && held !== document.activeElement) held.focus();
  }
}

/**
 * The title of a column, which sorts if the column can; the first one is the head's tab stop.
 * @param {import("../../models/network/columns.js").Column} column
 * @param {boolean} isFirst
 */
function titleCell({ name, sort }, isFirst) {
  const key = `network.col.${name}`;
  const sorting = { type: "button", class: "sort", "data-sort": name, tabindex: isFirst ? 0 : -1, "data-i18n": key };
  const text = sort ? h("button", sorting) : h("span", { "data-i18n": key });
  return h("span", { role: "columnheader", class: `c-${name}` }, text);
}
