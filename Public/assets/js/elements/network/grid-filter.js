// @ts-check
import { call, once } from "../../api.js";
import { announce, delay, loadStyle, need, setParameter } from "../../helpers/dom.js";
import { t } from "../../helpers/i18n.js";
import { logPath, logTime, recording } from "../../helpers/log-source.js";
import { problemText } from "../common/problem-view.js";
import { BodySearch, searched, searchOf } from "../../models/network/body-search.js";
import { chooseTerm, hasTerm, toggleTerm, withBetween } from "../../models/network/filter-edit.js";
import { instantsOf } from "../../models/network/filter-fields.js";
import { namesTool, parseFilter, termsOf } from "../../models/network/filter-syntax.js";
import { filterTest } from "../../models/network/filter-test.js";
import { FilterField } from "./network-filter.js";
import { SavedFilters } from "./saved-filters.js";

/**
 * @typedef {import("./network-grid.js").NetworkGrid} NetworkGrid
 * @typedef {HTMLElement & {showTool(isShown: boolean): void}} FilteredView
 */

/** The rows of a recording with their messages, which the console does not search. */
const recorded = once(() => call("GET", logPath("/export?format=json")));

/** The filter of the grid: its field, its quick and saved filters, and the search in headers and bodies. Dispatches `change`. */
export class GridFilter extends EventTarget {
  #field;
  #bodies;
  #saved;
  #histogram;
  #parsed = parseFilter("");
  #generation = -1;
  #searchTimer = 0;
  #isSearchDue = false;
  /** @type {unknown} */
  #searchError = null;

  /**
   * @param {FilteredView} view
   * @param {NetworkGrid} grid
   * @param {import("./network-histogram.js").NetworkHistogram} histogram
   * @param {AbortSignal} signal
   */
  constructor(view, grid, histogram, signal) {
    super();
    this.view = view;
    this.grid = grid;
    this.signal = signal;
    this.#histogram = histogram;
    this.#field = new FilterField(view);
    this.#saved = new SavedFilters(view, () => this.text, (text) => this.write(text, false));
    this.#bodies = new BodySearch(
      async (search, after, stop) =>
        recording === null
          ? await call("GET", `/api/network/search?${search}&after=${after}`, { signal: stop })
          : searched(await recorded(), search),
      (error) => this.#searched(error),
    );
    const { input } = this.#field;
    input.addEventListener("input", () => this.apply(), { signal });
    input.addEventListener("keydown", (event) => this.#inputKey(event), { signal });
    need(view, "#stop-search", HTMLElement).addEventListener("click", () => this.#bodies.stop(), { signal });
    void this.#keepTime();
    this.apply();
    void loadStyle("filter");
  }

  /** The filter as it is written. */
  get text() {
    return this.#field.input.value;
  }

  /** Sets the filter's text. @param {string} text @param {boolean} [isFocused] */
  write(text, isFocused = true) {
    this.#field.input.value = text;
    this.#field.close();
    this.apply();
    if (isFocused) this.#field.input.focus();
  }

  /** Adds a term to the filter, or removes it. @param {string} term */
  toggle(term) {
    this.write(toggleTerm(this.text, term), false);
  }

  /** Adds a term and removes its opposite. @param {string} term */
  demand(term) {
    this.write(chooseTerm(this.text, term), false);
  }

  /** Replaces the span of time. @param {string} term empty for none */
  between(term) {
    this.write(withBetween(this.text, term), false);
  }

  /** Reads the filter's text and shows the rows that match. */
  apply() {
    this.#parsed = this.#field.read();
    this.#field.store = this.grid.store;
    const searches = ["body", "header", ""].flatMap((field) => termsOf(this.#parsed.expression, field))
      .map((term) => this.#search(searchOf(term.field, term.value))).filter((one) => one !== null);
    // Each key of a longer text would be a search: wait until the typing rests.
    clearTimeout(this.#searchTimer);
    this.#searchTimer = setTimeout(() => {
      this.#bodies.want([...new Set(searches)]);
      this.#showSearch();
    }, searches.length ? 120 : 0);
    this.#field.keep((text) => setParameter("q", text));
    const between = termsOf(this.#parsed.expression, "between")[0];
    const span = between ? instantsOf(between.value) : null;
    this.#histogram.show(span && { from: span.least, to: span.most });
    for (const chip of this.view.querySelectorAll("[data-term]")) {
      chip.setAttribute("aria-pressed", String(hasTerm(this.text, chip.getAttribute("data-term") ?? "")));
    }
    this.#saved.show();
    this.view.showTool(namesTool(this.#parsed.expression));
    this.compile();
    this.dispatchEvent(new Event("change"));
  }

  /** A search in the log that the filter is about: the console's own requests are in another one. @param {string | null} search */
  #search(search) {
    return search && namesTool(this.#parsed.expression) ? `${search}&source=tool` : search;
  }

  /** Compiles the filter again for the current log. */
  compile() {
    const { grid } = this;
    this.#generation = grid.store.generation;
    this.#field.store = grid.store;
    const test = filterTest(this.#parsed.expression, grid.store, {
      now: logTime(),
      found: (search) => this.#bodies.found(this.#search(search) ?? ""),
    });
    grid.changing(() => grid.lines.filter(test), grid.active);
  }

  /** Takes note of rows that arrived. */
  merged() {
    if (this.#generation !== this.grid.store.generation) this.compile();
    if (this.#bodies.searches.size && !this.#bodies.isRunning) this.#searchLater();
  }

  #searchLater() {
    if (this.#isSearchDue) return;
    this.#isSearchDue = true;
    void delay(2000, this.signal).then(() => {
      this.#isSearchDue = false;
      this.#bodies.again();
    });
  }

  /** @param {unknown} error */
  #searched(error) {
    if (error) announce(problemText(error));
    this.#searchError = error;
    this.compile();
    this.#showSearch();
    this.dispatchEvent(new Event("change"));
  }

  #showSearch() {
    const { isRunning, searches } = this.#bodies;
    const state = need(this.view, "#search-state", HTMLElement);
    // A text without a field is also searched in headers, without a note.
    state.hidden = !["body", "header"].some((field) => termsOf(this.#parsed.expression, field).length);
    need(this.view, "#stop-search", HTMLElement).hidden = !isRunning;
    const found = [...searches.values()].reduce((sum, one) => sum + one.found.size, 0);
    const text = this.#searchError
      ? problemText(this.#searchError)
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
    if (event.key === "Escape") this.write("");
    else if (event.key === "Enter" || event.key === "ArrowDown") {
      this.#field.close();
      this.grid.moveTo(this.grid.lines.count > 1 && (this.grid.lines.values[0] ?? 0) < 0 ? 1 : 0, false);
    } else return;
    event.preventDefault();
  }
}
