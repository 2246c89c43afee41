// @ts-check
import { call } from "../../api.js";
import { loadStyle } from "../../helpers/dialog.js";
import { announce, busy, h, need } from "../../helpers/dom.js";
import { t } from "../../helpers/i18n.js";
import { logPath } from "../../helpers/log-source.js";
import { showToast } from "../../helpers/notice.js";
import { problemText } from "../../helpers/problem-view.js";
import { loadWords } from "../../page.js";

/**
 * @typedef {import("../../models/network/row-store.js").RowStore} RowStore
 * @typedef {{events: import("../../models/network/row-view.js").NetworkRow[], older: number}} Answer
 */

/** The number of rows in each request. */
const limit = 1000;

/**
 * Shows rows that are older than what the page loads: by the first line of the grid, and by a button beside the count of rows where
 * the filter or the order hides that line.
 */
export class OlderRows {
  #view;
  #tools;
  #signal;
  /** How many were read. */
  #count = 0;
  #isReading = false;
  #text = h("span", { class: "nums" });
  #button = h("button", { type: "button", class: "button button-quiet button-small", id: "older-rows" });
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
    this.#button.addEventListener("click", () => void busy(this.#button, () => this.#show()), { signal });
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

  /** Says how many older rows there are, where the grid does not. */
  show() {
    const { grid, dataset } = this.#view;
    const { store, lines } = grid;
    const isInGrid = dataset.shown === "ready" && !lines.order && lines.shown === store.count;
    this.#note.hidden = !store.dropped || isInGrid;
    if (this.#note.hidden) return;
    void loadWords("saved").then(() => {
      this.#text.textContent = t("saved.unread", { n: store.dropped });
      this.#button.textContent = t("saved.read");
    });
  }

  /** Puts older rows in front; what is on the screen stays where it is. */
  async #show() {
    const { grid } = this.#view;
    const { store, lines } = grid;
    if (this.#isReading || !store.dropped) return;
    this.#isReading = true;
    try {
      const [answer] = await Promise.all([this.#read(store), loadWords("saved")]);
      // The log was loaded again in the meantime.
      if (grid.store !== store) return;
      const isLine = grid.active === "dropped";
      const hadFocus = grid.contains(document.activeElement);
      const first = lines.keyAt(1);
      let added = 0;
      grid.leaveEnd();
      grid.changing(() => {
        added = this.#add(store, answer);
        this.#count += added;
        this.#tools.compile();
      });
      // The keyboard goes on from the row above the one that was first.
      if (isLine) grid.activate(lines.keyAt(Math.max(0, lines.placeOf(first) - 1)), hadFocus);
      announce(t("saved.added", { n: added }));
      this.#view.show();
    } catch (error) {
      await loadStyle("overlay");
      showToast(problemText(error), [], "bad");
    } finally {
      this.#isReading = false;
    }
  }

  /** @param {RowStore} store @returns {Promise<Answer>} */
  #read(store) {
    return call("GET", logPath(`?before=${store.firstSequence}&limit=${limit}`), { signal: this.#signal });
  }

  /** @param {RowStore} store @param {Answer} answer */
  #add(store, { events, older }) {
    store.makeRoom(events.length, events.length ? older : 0);
    return store.merge(events).added.length;
  }

  /**
   * Reads as many older rows into a log that was loaded again. If it fails, or the log is loaded once more, the next call reads
   * them.
   * @param {RowStore} store
   */
  async refill(store) {
    let count = 0;
    while (count < this.#count && store.dropped) {
      const added = this.#add(store, await this.#read(store));
      if (!added) break;
      count += added;
    }
    this.#count = count;
  }
}
