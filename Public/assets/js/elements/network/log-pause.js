// @ts-check
import { announce, need } from "../../helpers/dom.js";
import { t } from "../../helpers/i18n.js";

/** The most rows that wait; after more, the log is loaded again when the pause ends. */
const limit = 5000;

/** A pause of the view: new rows wait and are counted. The console continues to record. */
export class LogPause {
  /** The newest revision of each row that waits, by id. @type {Map<string, import("../../models/network/row-view.js").NetworkRow>} */
  #rows = new Map();
  #timer = 0;
  /** Whether the log must be reloaded when the pause ends. */
  isOverdue = false;

  /** @param {import("./network-console.js").NetworkConsole} view */
  constructor(view) {
    this.view = view;
    this.#show(true);
    announce(t("network.paused"));
  }

  /** Lets a row wait. @param {import("../../models/network/row-view.js").NetworkRow} row */
  take(row) {
    if (this.#rows.size < limit || this.#rows.has(row.id)) this.#rows.set(row.id, row);
    else this.isOverdue = true;
    this.#timer ||= setTimeout(() => {
      this.#timer = 0;
      this.#show(true);
    }, 200);
  }

  /** Whether a row may wait. @param {number} number its number in the log */
  holds(number) {
    return this.isOverdue || [...this.#rows.values()].some(({ seq }) => seq === number);
  }

  /** Shows the rows that waited. */
  end() {
    clearTimeout(this.#timer);
    this.view.pause = null;
    const { activeElement } = document;
    if (activeElement?.id === "resume-log") need(this.view, "#pause-log", HTMLElement).focus();
    this.#show(false);
    announce(t("network.resumed"));
    if (this.isOverdue) void this.view.load();
    for (const row of this.#rows.values()) this.view.take(row);
  }

  /** @param {boolean} isPaused */
  #show(isPaused) {
    need(this.view, "#pause-log", HTMLElement).setAttribute("aria-pressed", String(isPaused));
    need(this.view, "#paused", HTMLElement).hidden = !isPaused;
    const { size } = this.#rows;
    const text = size ? `${t("network.paused")} ${t("network.waiting", { n: size })}` : t("network.paused");
    need(this.view, "#paused-text", HTMLElement).textContent = isPaused ? text : "";
  }
}
