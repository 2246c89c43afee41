// @ts-check
import { h, need } from "../helpers/dom.js";
import { byteSize, milliseconds, preciseTime, t } from "../helpers/i18n.js";
import {
  isAtEnd,
  middleEllipsis,
  moveActive,
  RowLog,
  rowTone,
  rowWindow,
  scrollToRow,
  statusLabel,
} from "../models/row-log.js";

/** @typedef {import("../models/row-log.js").NetworkRow} NetworkRow */

/**
 * The rows of a log, of which only those in view are elements. One tab stop: focus rests on the active row, or on the grid while
 * that row is out of view. Dispatches `open` with the id of a row, and `follow` when the view leaves or reaches the end.
 */
export class NetworkGrid extends HTMLElement {
  constructor() {
    super();
    this.log = new RowLog();
    /** @type {string | null} */
    this.active = null;
    this.isFollowing = true;
    this.isScheduled = false;
    this.rowHeight = 28;
    /** @type {Map<string, {element: HTMLElement, rev: number, index: number}>} */
    this.drawn = new Map();
    this.grid = need(this, '[role="grid"]', HTMLElement);
    this.sizer = need(this, ".grid-sizer", HTMLElement);
    this.rows = need(this, ".grid-window", HTMLElement);
  }

  connectedCallback() {
    this.grid.addEventListener("scroll", () => this.scrolled(), { passive: true });
    this.grid.addEventListener("keydown", (event) => {
      if (!event.ctrlKey && !event.metaKey && !event.altKey && this.key(event.key)) event.preventDefault();
    });
    this.rows.addEventListener("click", (event) => {
      const row = event.target instanceof Element ? event.target.closest("[data-row]") : null;
      const id = row?.getAttribute("data-row");
      if (id && !getSelection()?.toString()) this.open(id);
    });
    new ResizeObserver(() => this.schedule()).observe(this.grid);
  }

  /** The pixels in which rows are seen, without the sticky head. */
  get viewport() {
    return Math.max(0, this.grid.clientHeight - this.rowHeight);
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

  /** Takes rows that left the front, so that what is read stays where it is. @param {number} trimmed */
  changed(trimmed) {
    if (trimmed && !this.isFollowing) this.grid.scrollTop -= trimmed * this.rowHeight;
    this.schedule();
  }

  /** Goes to the newest row and stays there. */
  follow() {
    this.isFollowing = true;
    this.schedule();
    this.dispatchEvent(new Event("follow"));
  }

  scrolled() {
    const isEnd = isAtEnd(this.grid.scrollTop, this.viewport, this.log.shown.length * this.rowHeight);
    if (isEnd !== this.isFollowing && !this.isScheduled) {
      this.isFollowing = isEnd;
      this.dispatchEvent(new Event("follow"));
    }
    this.schedule();
  }

  paint() {
    const { grid, sizer, rows } = this;
    if (this.hidden) return;
    const { shown } = this.log;
    sizer.style.blockSize = `${shown.length * this.rowHeight}px`;
    if (this.isFollowing) grid.scrollTop = shown.length * this.rowHeight;
    const view = rowWindow(shown.length, this.rowHeight, grid.scrollTop, this.viewport);
    rows.style.transform = `translateY(${view.offset}px)`;
    grid.setAttribute("aria-rowcount", String(shown.length + 1));

    const wanted = shown.slice(view.start, view.end);
    const ids = new Set(wanted.map((row) => row.id));
    const held = document.activeElement;
    for (const [id, { element }] of this.drawn) {
      if (ids.has(id)) continue;
      // The focused row leaves: focus is parked on the grid and returns with the row.
      if (element === held) grid.focus({ preventScroll: true });
      element.remove();
      this.drawn.delete(id);
    }
    let cursor = rows.firstElementChild;
    wanted.forEach((row, offset) => {
      const element = this.draw(row, view.start + offset);
      if (element === cursor) cursor = cursor.nextElementSibling;
      else rows.insertBefore(element, cursor);
    });
    const active = this.active === null ? undefined : this.drawn.get(this.active)?.element;
    grid.tabIndex = active ? -1 : 0;
    if (active && document.activeElement === grid) active.focus({ preventScroll: true });
  }

  /** @param {NetworkRow} row @param {number} index */
  draw(row, index) {
    const known = this.drawn.get(row.id);
    const element = known?.element ?? h("div", { role: "row", "data-row": row.id, class: "grid-row" });
    if (!known || known.rev !== row.rev) element.replaceChildren(...cells(row));
    if (!known || known.rev !== row.rev) element.dataset.tone = rowTone(row);
    if (!known || known.index !== index) element.setAttribute("aria-rowindex", String(index + 2));
    const isActive = row.id === this.active;
    element.tabIndex = isActive ? 0 : -1;
    element.setAttribute("aria-selected", String(isActive));
    this.drawn.set(row.id, { element, rev: row.rev, index });
    return element;
  }

  /** Moves or opens by a key; false when the key is none of the grid's. @param {string} key */
  key(key) {
    if ((key === "Enter" || key === "o") && this.active) {
      this.open(this.active);
      return true;
    }
    const page = Math.max(1, Math.floor(this.viewport / this.rowHeight) - 1);
    const target = moveActive(key, this.log.indexOf(this.active), this.log.shown.length, page);
    const row = target === null ? undefined : this.log.shown[target];
    if (!row) return false;
    this.activate(row.id, true);
    this.dispatchEvent(new CustomEvent("move", { detail: row.id }));
    return true;
  }

  /** Makes a row the active one and brings it into view. @param {string | null} id @param {boolean} isFocused */
  activate(id, isFocused) {
    this.active = id;
    const index = this.log.indexOf(id);
    if (index >= 0) {
      const top = scrollToRow(index, this.rowHeight, this.grid.scrollTop, this.viewport);
      if (this.isFollowing && index < this.log.shown.length - 1) {
        this.isFollowing = false;
        this.dispatchEvent(new Event("follow"));
      }
      if (!this.isFollowing) this.grid.scrollTop = top;
    }
    this.paint();
    if (isFocused && id) (this.drawn.get(id)?.element ?? this.grid)?.focus({ preventScroll: true });
  }

  /** @param {string} id */
  open(id) {
    this.activate(id, true);
    this.dispatchEvent(new CustomEvent("open", { detail: id }));
  }
}

/** @param {NetworkRow} row @returns {HTMLElement[]} */
function cells(row) {
  const status = statusLabel(row);
  const word = status.digits ?? t(status.key ?? "row.pending");
  /** @param {string} name @param {...(Node | string)} content */
  const cell = (name, ...content) => h("span", { role: "gridcell", class: `c-${name}` }, ...content);
  const tries = row.attempt > 1 ? t("row.attempt", { n: row.attempt }) : "";
  const source = row.source === "network" ? "" : t(`row.source.${row.source}`);
  return [
    cell("seq", String(row.seq)),
    cell("time", preciseTime(row.started_at)),
    cell("method", row.method),
    h(
      "span",
      { role: "gridcell", class: "c-path", title: row.path },
      h("bdi", { dir: "ltr" }, middleEllipsis(row.path)),
    ),
    cell("endpoint", h("bdi", { dir: "ltr" }, row.endpoint)),
    h("span", { role: "gridcell", class: "c-status", title: row.error ?? null }, h("span", { class: "status" }, word)),
    cell("size", byteSize(row.response_bytes)),
    cell("ms", milliseconds(row.duration_ms)),
    cell("source", [tries, source].filter(Boolean).join(" · ")),
  ];
}

customElements.define("network-grid", NetworkGrid);
