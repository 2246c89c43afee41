// @ts-check
import { need } from "../../helpers/dom.js";

/**
 * @typedef {import("./network-grid.js").NetworkGrid} NetworkGrid
 * @typedef {import("../../models/network/row-lines.js").Order} Order
 */

/**
 * Sorts by the grid's head: ascending, descending, then unsorted. It is one tab stop; the arrow keys move from
 * column to column.
 * @param {HTMLElement} view
 * @param {NetworkGrid} grid
 * @param {() => void} changed called after each change of the order
 * @param {AbortSignal} signal
 */
export function attachHead(view, grid, changed, signal) {
  const head = need(view, ".grid-head", HTMLElement);
  head.addEventListener("click", (event) => {
    const key = event.target instanceof Element ? event.target.closest("[data-sort]")?.getAttribute("data-sort") : null;
    if (!key) return;
    sort(head, grid, /** @type {Order["key"]} */ (key));
    changed();
  }, { signal });
  head.addEventListener("keydown", (event) => walk(event, head, grid), { signal });
}

/** @param {HTMLElement} head @param {NetworkGrid} grid @param {Order["key"]} key */
function sort(head, grid, key) {
  const { lines } = grid;
  const isSame = lines.order?.key === key;
  const order = isSame && lines.order?.isDescending ? null : { key, isDescending: isSame };
  grid.changing(() => {
    lines.order = order;
    if (order) grid.leaveEnd();
    lines.layout();
  }, grid.active);
  for (const column of head.querySelectorAll("[role=columnheader]")) {
    const own = column.querySelector("[data-sort]")?.getAttribute("data-sort");
    if (own === order?.key) column.setAttribute("aria-sort", order?.isDescending ? "descending" : "ascending");
    else column.removeAttribute("aria-sort");
  }
  if (!grid.active) grid.grid.scrollTop = 0;
}

/** @param {KeyboardEvent} event @param {HTMLElement} head @param {NetworkGrid} grid */
function walk(event, head, grid) {
  const columns = [...head.querySelectorAll("[data-sort]")].filter((one) =>
    one instanceof HTMLElement && one.offsetParent
  );
  const at = columns.findIndex((one) => one === document.activeElement);
  const forward = getComputedStyle(head).direction === "rtl" ? -1 : 1;
  const steps = { ArrowRight: forward, ArrowLeft: -forward, Home: -at, End: columns.length - 1 - at };
  if (event.key === "ArrowDown") grid.moveTo(0, false);
  else if (Object.hasOwn(steps, event.key)) {
    const target = columns[at + steps[/** @type {keyof typeof steps} */ (event.key)]];
    if (!(target instanceof HTMLElement)) return;
    for (const one of columns) one.setAttribute("tabindex", one === target ? "0" : "-1");
    target.focus();
  } else return;
  event.preventDefault();
}
