// @ts-check
import { call } from "../../api.js";
import { announce, busy, delay, need, setParameter } from "../../helpers/dom.js";
import { t } from "../../helpers/i18n.js";
import { problemText } from "../../helpers/problem-view.js";
import { RowReport } from "../exports/row-report.js";
import { BodySearch } from "../../models/network/body-search.js";
import { betweenTerm, withBetween } from "../../models/network/histogram.js";
import { instantsOf } from "../../models/network/filter-fields.js";
import { parseFilter, termsOf } from "../../models/network/filter-syntax.js";
import { filterTest } from "../../models/network/filter-test.js";
import { RowSelection } from "../../models/network/row-selection.js";
import { attachHead } from "./grid-head.js";
import { FilterField } from "./network-filter.js";
import { NetworkHistogram } from "./network-histogram.js";

/**
 * @typedef {import("./network-grid.js").NetworkGrid} NetworkGrid
 * @typedef {import("./network-detail.js").NetworkDetail} NetworkDetail
 * @typedef {import("../../models/network/row-view.js").NetworkRow} NetworkRow
 */

/** What works on the grid from its toolbar: filter, search in bodies, time brush, sorting, groups, pins, clearing. Dispatches `change`. */
export class NetworkTools extends EventTarget {
  #field;
  #histogram;
  #bodies;
  #report;
  #parsed = parseFilter("");
  #generation = -1;
  #searchTimer = 0;

  /**
   * @param {HTMLElement & {load(): Promise<void>, close(): void, openWanted(id: string): void, detail: NetworkDetail}} view
   * @param {NetworkGrid} grid
   * @param {AbortSignal} signal
   */
  constructor(view, grid, signal) {
    super();
    this.view = view;
    this.grid = grid;
    this.signal = signal;
    this.#field = new FilterField(view);
    this.#histogram = need(view, "network-histogram", NetworkHistogram);
    this.#bodies = new BodySearch(
      (text, after, stop) =>
        call("GET", `/api/network/search?body=${encodeURIComponent(text)}&after=${after}`, { signal: stop }),
      (error) => this.#searched(error),
    );
    this.#report = new RowReport(signal);
    this.selection = new RowSelection(grid.lines);
  }

  /** Begins, once the page has its words. */
  start() {
    this.#listen();
    this.#apply();
    void this.#keepTime();
  }

  /** What an export would be of. */
  get #exported() {
    const { selection } = this;
    const { lines, store } = this.grid;
    const { ids } = selection;
    return {
      ids: ids.length ? ids : null,
      shown: lines.shown < store.count ? selection.shown() : null,
      total: store.count,
    };
  }

  /**
   * Brings the module of an element at the first press of its button, and presses it then.
   * @param {string} name
   * @param {() => Promise<unknown>} load
   */
  #atFirstPress(name, load) {
    const place = need(this.view, name, HTMLElement);
    place.addEventListener("click", (event) => {
      event.stopPropagation();
      void load().then(() => need(place, "button", HTMLElement).click());
    }, { capture: true, once: true, signal: this.signal });
  }

  #listen() {
    const { view, grid, signal } = this;
    const { input } = this.#field;
    input.addEventListener("input", () => this.#apply(), { signal });
    input.addEventListener("keydown", (event) => this.#inputKey(event), { signal });
    need(view, "#clear-filter", HTMLElement).addEventListener("click", () => this.#write(""), { signal });
    need(view, "#stop-search", HTMLElement).addEventListener("click", () => this.#bodies.stop(), { signal });
    const group = need(view, "#group-rows", HTMLElement);
    group.setAttribute("aria-pressed", String(grid.lines.isGrouped));
    group.addEventListener("click", () => this.#group(), { signal });
    attachHead(view, grid, () => this.#showRole(), signal);
    this.#atFirstPress("export-dialog", async () => {
      const { ExportDialog } = await import("../exports/export-dialog.js");
      need(view, "export-dialog", ExportDialog).source ??= () => this.#exported;
    });
    this.#atFirstPress("request-composer", () => import("../exports/request-composer.js"));
    const clear = need(view, "#clear-log", HTMLElement);
    clear.addEventListener("click", () => void busy(clear, () => this.#clear()), { signal });
    this.#histogram.addEventListener("brush", (event) => {
      const span = /** @type {CustomEvent} */ (event).detail;
      this.#write(withBetween(input.value, span ? betweenTerm(span.from, span.to) : ""), false);
    }, { signal });
    for (const source of [grid, this.view.detail]) {
      source.addEventListener("pin", (event) => void this.#pin(/** @type {CustomEvent} */ (event).detail), { signal });
    }
    need(view, "#clear-selection", HTMLElement).addEventListener("click", () => {
      this.choose({ slots: [] });
      grid.grid.focus();
    }, { signal });
    view.addEventListener("show-row", (event) => {
      event.preventDefault();
      view.openWanted(/** @type {CustomEvent} */ (event).detail);
    }, { signal });
    const parameters = new URLSearchParams(location.search);
    if (parameters.get("flat") === "1") this.#group();
  }

  /** Sets the filter's text. @param {string} text @param {boolean} [isFocused] */
  #write(text, isFocused = true) {
    this.#field.input.value = text;
    this.#field.close();
    this.#apply();
    if (isFocused) this.#field.input.focus();
  }

  /** Reads the filter's text and shows what it lets through. */
  #apply() {
    this.#parsed = this.#field.read();
    this.#field.store = this.grid.store;
    const texts = [...new Set(termsOf(this.#parsed.expression, "body").map((term) => term.value))];
    // Each key of a longer text would be a search: wait until the typing rests.
    clearTimeout(this.#searchTimer);
    this.#searchTimer = setTimeout(() => {
      this.#bodies.want(texts);
      this.#showSearch();
    }, texts.length ? 120 : 0);
    this.#field.keep((text) => setParameter("q", text));
    const between = termsOf(this.#parsed.expression, "between")[0];
    const span = between ? instantsOf(between.value) : null;
    this.#histogram.show(span && { from: span.least, to: span.most });
    this.compile();
    this.dispatchEvent(new Event("change"));
  }

  /** Compiles the filter again for the current log. */
  compile() {
    const { grid } = this;
    this.#generation = grid.store.generation;
    this.#field.store = grid.store;
    this.#histogram.store = grid.store;
    const test = filterTest(this.#parsed.expression, grid.store, {
      now: Date.now(),
      bodies: (text) => this.#bodies.found(text),
    });
    grid.changing(() => grid.lines.filter(test), grid.active);
    this.#histogram.changed();
  }

  /** Takes note of rows that arrived, of which so many are new in view. @param {number} added @param {NetworkRow[]} rows */
  merged(added, rows) {
    this.#report.take(added, rows);
    if (this.#generation !== this.grid.store.generation) this.compile();
    else this.#histogram.changed();
    if (this.#bodies.searches.size && !this.#bodies.isRunning) this.#searchLater();
  }

  #searchLater() {
    if (this.isSearchDue) return;
    this.isSearchDue = true;
    void delay(2000, this.signal).then(() => {
      this.isSearchDue = false;
      this.#bodies.again();
    });
  }

  /** @param {unknown} error */
  #searched(error) {
    if (error) announce(problemText(error));
    this.searchError = error;
    this.compile();
    this.#showSearch();
    this.dispatchEvent(new Event("change"));
  }

  #showSearch() {
    const { isRunning, searches } = this.#bodies;
    const state = need(this.view, "#search-state", HTMLElement);
    state.hidden = searches.size === 0;
    need(this.view, "#stop-search", HTMLElement).hidden = !isRunning;
    const found = [...searches.values()].reduce((sum, one) => sum + one.found.size, 0);
    const text = this.searchError
      ? problemText(this.searchError)
      : t(isRunning ? "search.running" : "search.done", { n: found });
    need(this.view, "#search-text", HTMLElement).textContent = text;
  }

  // `since:` slides with the time.
  async #keepTime() {
    while (!this.signal.aborted) {
      await delay(5000, this.signal);
      if (termsOf(this.#parsed.expression, "since").length) {
        this.compile();
        this.dispatchEvent(new Event("change"));
      }
    }
  }

  /** @param {KeyboardEvent} event */
  #inputKey(event) {
    if (this.#field.key(event)) {
      event.preventDefault();
      return;
    }
    if (event.key === "Escape") this.#write("");
    else if (event.key === "Enter" || event.key === "ArrowDown") {
      this.#field.close();
      this.grid.moveTo(this.grid.lines.count > 1 && (this.grid.lines.values[0] ?? 0) < 0 ? 1 : 0, false);
    } else return;
    event.preventDefault();
  }

  /** Takes a key of the page. @param {string} key */
  key(key) {
    if (key === "Escape") this.#escape();
    else if (key === "[" || key === "]") this.#histogram.move(key === "[" ? "from" : "to", key === "[" ? 2 : -2);
    else if (key === "{" || key === "}") this.#histogram.move(key === "{" ? "from" : "to", key === "{" ? -2 : 2);
    else if (key === "v") this.#group();
  }

  #escape() {
    if (!this.view.detail.hidden) return this.view.close();
    this.choose({ slots: [] });
  }

  /** Shows the rows in groups, or as they came. */
  #group() {
    const { grid } = this;
    grid.changing(() => {
      grid.lines.isGrouped = !grid.lines.isGrouped;
      grid.lines.layout();
    }, grid.active);
    setParameter("flat", grid.lines.isGrouped ? "" : "1");
    this.#showRole();
  }

  #showRole() {
    const { hasGroups } = this.grid.lines;
    need(this.view, "#group-rows", HTMLElement).setAttribute("aria-pressed", String(hasGroups));
    this.grid.grid.setAttribute("role", hasGroups ? "treegrid" : "grid");
  }

  /** Selects rows; no slots at all end the selection. @param {import("../../models/network/row-selection.js").Choice} choice */
  choose(choice) {
    if ("from" in choice) this.selection.range(choice.from, choice.to);
    else if (choice.slots.length) this.selection.toggle(choice.slots);
    else this.selection.none();
    this.grid.schedule();
    const count = this.selection.ids.length;
    need(this.view, "#selection", HTMLElement).hidden = count < 2;
    need(this.view, "#selection-count", HTMLElement).textContent = t("network.selected", { n: count });
    this.dispatchEvent(new Event("select"));
  }

  async #clear() {
    try {
      await call("DELETE", "/api/network");
      this.view.close();
      this.grid.lines.gaps = [];
      announce(t("network.cleared"));
      await this.view.load();
    } catch (error) {
      announce(problemText(error));
    }
  }

  /** Pins a row, or lets it go. @param {string} id */
  async #pin(id) {
    const slot = this.grid.store.slotOf(id);
    if (slot < 0) return;
    const pinned = !this.grid.store.row(slot).is_pinned;
    try {
      await call("POST", `/api/network/${encodeURIComponent(id)}/pin`, { body: { pinned } });
      announce(t(pinned ? "network.pinned" : "network.unpinned"));
    } catch (error) {
      announce(problemText(error));
    }
  }
}
