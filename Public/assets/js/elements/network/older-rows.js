// @ts-check
import { call } from "../../api.js";
import { announce, busy, h, need, plainButton } from "../../helpers/dom.js";
import { t } from "../../helpers/i18n.js";
import { logPath } from "../../helpers/log-source.js";
import { showFailure } from "../common/notice.js";
import { parseFilter } from "../../models/network/filter-syntax.js";
import { savedQuery } from "../../models/network/saved-query.js";

/**
 * @typedef {import("../../models/network/row-store.js").RowStore} RowStore
 * @typedef {{events: import("../../models/network/row-view.js").NetworkRow[], older: number}} Answer
 */

/** The number of rows in each request. */
const limit = 1000;

/**
 * Shows rows that are older than what the page loads: by the first line of the grid, and by a button next to the count of rows if
 * the filter or the order hides that line. If there is a filter, the console searches all of them.
 */
export class OlderRows {
  #view;
  #tools;
  #signal;
  /** How many were read. */
  #count = 0;
  #isReading = false;
  /** The number of the first row of those without a row missing between them, and their log. */
  #edge = { first: 0, store: /** @type {RowStore | null} */ (null) };
  /** The last search: its parameters, and the number before which it continues; null when all rows are searched. */
  #searched = { query: "", before: /** @type {number | null} */ (null) };
  #text = h("span", { class: "nums" });
  #button = plainButton("button button-quiet button-small", { id: "older-rows" });
  #note = h("span", { class: "row small", id: "older-note", hidden: true }, this.#text, this.#button);

  /**
   * @param {import("./network-console.js").NetworkConsole} view
   * @param {import("./network-tools.js").NetworkTools} tools
   * @param {AbortSignal} signal
   */
  constructor(view, tools, signal) {
    this.#view = view;
    this.#tools = tools;
    this.#signal = signal;
    const { grid } = view;
    grid.grid.toggleAttribute("data-kept", true);
    need(view, "#row-count", HTMLElement).after(this.#note);
    this.#button.addEventListener("click", () => {
      void busy(this.#button, () => (this.#query ? this.#search() : this.#show()));
    }, { signal });
    grid.rows.place.addEventListener("click", (event) => {
      if (event.target instanceof Element && event.target.closest('[data-kind="dropped"]')) void this.#show();
    }, { signal });
    grid.grid.addEventListener("keydown", (event) => {
      const isHead = event.target instanceof Element && event.target.closest(".grid-head");
      if (isHead || grid.active !== "dropped" || (event.key !== "Enter" && event.key !== " ")) return;
      event.preventDefault();
      void this.#show();
    }, { signal });
  }

  /** Shows the number of older rows where the grid does not show it. */
  show() {
    const { grid, dataset } = this.#view;
    const { store, lines } = grid;
    const isInGrid = dataset.shown === "ready" && !lines.order && lines.shown === store.count;
    this.#note.hidden = !store.dropped || isInGrid;
    if (this.#note.hidden) return;
    const query = this.#query;
    const isDone = query !== "" && query === this.#searched.query && this.#searched.before === null;
    this.#text.textContent = t(isDone ? "saved.searched" : "saved.unread", { n: store.dropped });
    this.#button.textContent = t(query ? "saved.search" : "saved.read");
    this.#button.hidden = isDone;
  }

  /** The part of the filter that the console can apply. */
  get #query() {
    const { expression } = parseFilter(need(this.#view, "#filter", HTMLInputElement).value);
    return savedQuery(expression);
  }

  /** Adds the saved rows that match the filter, the newest 1,000 at a time. */
  #search() {
    const query = this.#query;
    return this.#reading(async (store) => {
      const before = (this.#searched.query === query ? this.#searched.before : null) ?? this.#first(store);
      const answer = await this.#read(`${before}&${query}`);
      const oldest = answer.events[0]?.seq;
      return () => {
        this.#searched = { query, before: answer.events.length < limit || oldest === undefined ? null : oldest };
        return this.#scatter(store, answer);
      };
    });
  }

  /**
   * Reads rows and adds them, unless the log is loaded again in the meantime; visible rows stay in place.
   * @param {(store: RowStore) => Promise<() => number>} read returns what adds them and counts those that were not there
   */
  async #reading(read) {
    const { grid } = this.#view;
    const { store } = grid;
    if (this.#isReading || !store.dropped) return;
    this.#isReading = true;
    try {
      const add = await read(store);
      if (grid.store !== store) return;
      let added = 0;
      grid.leaveEnd();
      grid.changing(() => {
        added = add();
        this.#tools.compile();
      });
      announce(t("saved.added", { n: added }));
      this.#view.show();
    } catch (error) {
      showFailure(error);
    } finally {
      this.#isReading = false;
    }
  }

  /** Adds rows with missing ones in between. @param {RowStore} store @param {Answer} answer */
  #scatter(store, { events }) {
    this.#edge = { first: this.#first(store), store };
    const unknown = events.filter((row) => store.slotOf(row.id) < 0);
    store.makeRoom(unknown.length, Math.max(0, store.dropped - unknown.length));
    return store.merge(unknown).added.length;
  }

  /** The number of the first row of those without a row missing between them. @param {RowStore} store */
  #first(store) {
    return this.#edge.store === store ? this.#edge.first : store.firstSequence;
  }

  /** Puts older rows in front. */
  async #show() {
    const { grid } = this.#view;
    const { lines } = grid;
    let follow = () => {};
    await this.#reading(async (store) => {
      const answer = await this.#read(String(this.#first(store)));
      return () => {
        const first = lines.keyAt(1);
        const hadFocus = grid.contains(document.activeElement);
        // The keyboard continues from the row above the first one.
        if (grid.active === "dropped") {
          follow = () => grid.activate(lines.keyAt(Math.max(0, lines.placeOf(first) - 1)), hadFocus);
        }
        const added = this.#add(store, answer);
        this.#count += added;
        return added;
      };
    });
    follow();
  }

  /** @param {string} before with further parameters @returns {Promise<Answer>} */
  #read(before) {
    return call("GET", logPath(`?limit=${limit}&before=${before}`), { signal: this.#signal });
  }

  /** Adds rows that directly precede the first one. @param {RowStore} store @param {Answer} answer */
  #add(store, { events, older }) {
    const first = events[0]?.seq ?? 0;
    // Some of those that are older may have been found by a search.
    const unknown = events.filter((row) => store.slotOf(row.id) < 0);
    store.makeRoom(unknown.length, Math.max(0, older - store.placeOf(first)));
    this.#edge = { first, store };
    return store.merge(unknown).added.length;
  }

  /**
   * Reads as many older rows into a log that was loaded again. If it fails, or the log is loaded once more, the next call reads
   * them.
   * @param {RowStore} store
   */
  async refill(store) {
    let count = 0;
    while (count < this.#count && store.dropped) {
      const added = this.#add(store, await this.#read(String(this.#first(store))));
      if (!added) break;
      count += added;
    }
    this.#count = count;
    const { query, before } = this.#searched;
    if (!query || !store.dropped) return;
    // As far as the search had come.
    const { events } = await this.#read(`${this.#first(store)}&${query}`);
    this.#scatter(store, { events: events.filter((row) => row.seq >= (before ?? 0)), older: 0 });
  }
}
