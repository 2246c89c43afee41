// @ts-check
import { call } from "../api.js";
import { events } from "../events.js";
import { announce, busy, delay, h, isTyping, need, showView } from "../helpers/dom.js";
import { clockTime, t } from "../helpers/i18n.js";
import { problemPanel, problemText } from "../helpers/problem-view.js";
import { filterFields, parseFilter } from "../models/filter.js";
import { ApiError } from "../models/problem.js";
import { ready } from "../page.js";
import { NetworkGrid } from "./network-grid.js";

/** @typedef {import("../models/row-log.js").NetworkRow} NetworkRow */

/** The network page: loads the log, keeps it live, filters it, and opens one row beside it. Filter and row live in the URL. */
class NetworkConsole extends HTMLElement {
  constructor() {
    super();
    this.lifetime = new AbortController();
    /** Rows that arrived and are not merged yet. @type {NetworkRow[]} */
    this.arrived = [];
    this.newCount = 0;
    this.said = { timer: false, count: 0, failed: 0 };
    this.asOf = 0;
    this.loads = 0;
    this.isLoading = true;
    this.wasDown = false;
    /** @type {unknown} */
    this.error = null;
    const parameters = new URLSearchParams(location.search);
    this.grid = need(this, "network-grid", NetworkGrid);
    // Its module is loaded when the first row is opened.
    this.detail =
      /** @type {import("./network-detail.js").NetworkDetail} */ (need(this, "network-detail", HTMLElement));
    this.filter = need(this, "#filter", HTMLInputElement);
    this.filter.value = parameters.get("q") ?? "";
    this.wanted = parameters.get("row");
  }

  async connectedCallback() {
    const { signal } = this.lifetime;
    if (this.wanted) this.grid.isFollowing = false;
    showView(this, "loading");
    events.addEventListener("network", (event) => this.take(/** @type {CustomEvent} */ (event).detail), { signal });
    events.addEventListener("gap", () => void this.load(), { signal });
    events.addEventListener("status", () => this.statusChanged(), { signal });
    this.filter.addEventListener("input", () => this.applyFilter(), { signal });
    this.filter.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.clearFilter();
      if (event.key === "Enter" || event.key === "ArrowDown") this.grid.key("Home");
    }, { signal });
    document.addEventListener("keydown", (event) => this.key(event), { signal });
    this.grid.addEventListener("open", (event) => this.open(/** @type {CustomEvent} */ (event).detail), { signal });
    this.grid.addEventListener("move", (event) => {
      if (!this.detail.hidden) this.open(/** @type {CustomEvent} */ (event).detail);
    }, { signal });
    this.grid.addEventListener("follow", () => this.showNew(), { signal });
    this.detail.addEventListener("close", () => this.close(), { signal });
    need(this, "#new-rows", HTMLElement).addEventListener("click", () => this.grid.follow(), { signal });
    need(this, "#clear-filter", HTMLElement).addEventListener("click", () => this.clearFilter(), { signal });
    const clear = need(this, "#clear-log", HTMLElement);
    clear.addEventListener("click", () => void busy(clear, () => this.clear()), { signal });
    await ready;
    this.applyFilter();
    await this.load();
  }

  disconnectedCallback() {
    this.lifetime.abort();
  }

  /** Reads the whole log; rows that arrive meanwhile are merged after it. */
  async load() {
    const turn = this.loads += 1;
    this.isLoading = true;
    try {
      /** @type {NetworkRow[]} */
      const rows = [];
      let [after, capacity, dropped] = [0, 0, 0];
      for (;;) {
        const answer = await call("GET", `/api/network?limit=1000${after ? `&after=${after}` : ""}`, {
          signal: this.lifetime.signal,
        });
        rows.push(...answer.events);
        capacity = answer.capacity;
        dropped = answer.dropped;
        const next = Number(answer.next ?? 0);
        if (!answer.events.length || !(next > after)) break;
        after = next;
      }
      if (turn !== this.loads) return;
      this.grid.log.replace(rows, capacity, dropped);
      this.isLoading = false;
      this.error = null;
      this.asOf = Date.now();
      this.merge();
      this.show();
      if (this.wanted) this.openWanted(this.wanted);
    } catch (error) {
      if (turn !== this.loads || (error instanceof ApiError && error.code === "aborted")) return;
      this.isLoading = false;
      this.error = error;
      if (this.asOf) this.show();
      else {
        need(this, "#network-error", HTMLElement).replaceChildren(problemPanel(error, () => {
          showView(this, "loading");
          void this.load();
        }));
        showView(this, "error");
      }
    }
  }

  /** @param {string} id */
  openWanted(id) {
    this.wanted = null;
    this.grid.activate(id, false);
    this.open(id);
  }

  /** @param {NetworkRow} row */
  take(row) {
    if (!row?.id) return;
    this.arrived.push(row);
    if (this.arrived.length > 1) return;
    // Many rows of one moment are merged once; a hidden tab merges by timer, as frames stop there.
    setTimeout(() => this.merge(), document.hidden ? 1000 : 16);
  }

  merge() {
    if (this.isLoading) return;
    const rows = this.arrived;
    this.arrived = [];
    if (!rows.length) return;
    const { added, trimmed } = this.grid.log.merge(rows);
    if (!this.grid.isFollowing) this.newCount += added;
    this.grid.changed(trimmed);
    this.detail.rowChanged?.(rows.findLast((row) => row.id === this.detail.rowId));
    this.report(added, rows);
    this.show();
  }

  // No live region on the rows: one sentence, at most every five seconds.
  /** @param {number} added @param {NetworkRow[]} rows */
  report(added, rows) {
    this.said.count += added;
    this.said.failed += rows.filter((row) => row.state === "failure" || (row.status ?? 0) >= 400).length;
    if (this.said.timer || !added) return;
    this.said.timer = true;
    void delay(5000, this.lifetime.signal).then(() => {
      const { count, failed } = this.said;
      this.said = { timer: false, count: 0, failed: 0 };
      if (count) announce(failed ? t("network.said_failed", { n: count, failed }) : t("network.said", { n: count }));
    });
  }

  show() {
    if (!this.asOf) return;
    const { rows, shown, dropped } = this.grid.log;
    const view = rows.length === 0 ? "empty" : shown.length === 0 ? "none" : "ready";
    showView(this, view);
    need(this, "#none-text", HTMLElement).textContent = t("network.none", {
      n: rows.length,
      filter: this.filter.value,
    });
    const count = shown.length === rows.length
      ? t("network.rows", { n: rows.length })
      : t("network.rows_of", { n: rows.length, shown: shown.length });
    need(this, "#row-count", HTMLElement).textContent = dropped
      ? `${count} · ${t("network.dropped", { n: dropped })}`
      : count;
    this.showNew();
    this.showNotice();
    this.grid.schedule();
  }

  showNew() {
    if (this.grid.isFollowing) this.newCount = 0;
    const pill = need(this, "#new-rows", HTMLElement);
    pill.hidden = this.newCount === 0;
    if (this.newCount) pill.textContent = t("network.new", { n: this.newCount });
  }

  statusChanged() {
    const isLive = events.status.state === "live";
    if (isLive && this.wasDown) void this.load();
    if (!isLive && !this.wasDown && this.asOf) this.asOf = Date.now();
    this.wasDown = !isLive && events.status.state !== "connecting";
    this.showNotice();
  }

  showNotice() {
    const notice = need(this, "#network-notice", HTMLElement);
    const isStale = Boolean(this.asOf) && (this.wasDown || Boolean(this.error));
    notice.hidden = !isStale;
    if (!isStale) return;
    const why = this.error ? problemText(this.error) : t("network.stale");
    const text = `${why} ${t("state.as_of", { time: clockTime(this.asOf) })}`;
    if (notice.textContent === text) return;
    notice.replaceChildren(h("span", {}, text));
  }

  applyFilter() {
    const text = this.filter.value;
    const { test, problems } = parseFilter(text);
    const [problem] = problems;
    need(this, "#filter-problem", HTMLElement).textContent = problem
      ? t(problem.key, { term: problem.term, fields: filterFields.join(", ") })
      : "";
    this.filter.setAttribute("aria-invalid", String(Boolean(problem)));
    this.setParameter("q", text.trim());
    this.grid.log.filter(test);
    this.newCount = 0;
    this.show();
  }

  clearFilter() {
    this.filter.value = "";
    this.applyFilter();
    this.filter.focus();
  }

  async clear() {
    try {
      await call("DELETE", "/api/network");
      this.close();
      announce(t("network.cleared"));
      await this.load();
    } catch (error) {
      this.error = error;
      this.show();
    }
  }

  /** @param {string} id */
  open(id) {
    this.setParameter("row", id);
    void import("./network-detail.js").then(() => this.detail.open(id));
    this.toggleAttribute("data-open", true);
  }

  close() {
    if (this.detail.hidden) return;
    this.detail.close?.();
    this.toggleAttribute("data-open", false);
    this.setParameter("row", "");
    this.grid.activate(this.grid.active, true);
  }

  /** @param {string} name @param {string} value empty takes it away */
  setParameter(name, value) {
    const url = new URL(location.href);
    if (value) url.searchParams.set(name, value);
    else url.searchParams.delete(name);
    if (url.href !== location.href) history.replaceState(null, "", url);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    // What is open over the page has its own keys.
    if (isTyping(event) || event.defaultPrevented || document.querySelector("dialog[open]")) return;
    if (event.key === "/") this.filter.focus();
    else if (event.key === "Escape") this.close();
    else if (["j", "k"].includes(event.key)) this.grid.key(event.key);
    else return;
    event.preventDefault();
  }
}

customElements.define("network-console", NetworkConsole);
