// @ts-check
import { ApiError, call, heldDevices, showDevice, tabDevice } from "../../api.js";
import { events } from "../../events.js";
import { isPressed, isTyping, need, setParameter, showView } from "../../helpers/dom.js";
import { t } from "../../helpers/i18n.js";
import { RowStore } from "../../models/network/row-store.js";
import { withEnds } from "../../models/network/row-view.js";
import { LiveElement, ready, session } from "../../page.js";
import { firstCount, firstRows, log, takeArrived, takeRowsSince } from "./first-rows.js";
import { tellFault } from "./ended-by-fault.js";
import { explain, showProblem } from "./log-problem.js";
import { missingRows, noteGap } from "./missed-rows.js";
import { NetworkDetail } from "./network-detail.js";
import { NetworkGrid } from "./network-grid.js";
import { NetworkTools } from "./network-tools.js";

/**
 * @typedef {import("../../models/network/row-view.js").NetworkRow} NetworkRow
 * @typedef {import("./log-pause.js").LogPause} LogPause
 */

/** The number of rows in each request. */
const pages = [firstCount, 2000];
const address = new URLSearchParams(location.search);
/** How many characters of a filter that nothing matches are repeated. */
const longestShown = 40;
/** The keys of the page; the keys of rows act only if no element has the focus. */
const [pageKeys, rowKeys] = [["/", "Escape", "j", "k", "[", "]", "{", "}", "v"], ["p", "o", " "]];

/** The network page: loads the log, keeps it live, filters it, and shows one row next to it. The filter and the row are in the URL. */
export class NetworkConsole extends LiveElement {
  /** Rows that arrived but are not merged yet. @type {NetworkRow[]} */
  #arrived = [];
  #newCount = 0;
  #asOf = 0;
  #loads = 0;
  /** The first part of the log; where it failed, it is asked for again, now that the page can say why. @type {Promise<any> | null} */
  #early = firstRows.catch(() => this.#read(0, 0));
  /** Whether the log had rows that it no longer has. */
  #wasCleared = false;
  #isLoading = true;
  /** Whether the rows are those of the console's own requests, which are in a log of their own. */
  #isTool = false;
  #wasDown = false;
  /** @type {unknown} */
  #error = null;
  grid = need(this, "network-grid", NetworkGrid);
  #filter;
  #wanted = address.get("row");
  /** Made as soon as the page has its words. @type {NetworkTools | null} */
  #tools = null;
  /** While it is set, rows that arrive wait in it. @type {LogPause | null} */
  pause = null;

  constructor() {
    super();
    this.detail = need(this, "network-detail", NetworkDetail);
    this.#filter = need(this, "#filter", HTMLInputElement);
    this.#filter.value = address.get("q") ?? "";
  }

  async connectedCallback() {
    const { signal } = this;
    if (this.#wanted) this.grid.isFollowing = false;
    const device = heldDevices().find((one) => one.device_id === address.get("device"));
    if (device && device.device_id !== tabDevice()?.device_id) return [showDevice(device), location.reload()];
    /** @param {EventTarget} source @param {string} name @param {(detail: any) => void} take */
    const on = (source, name, take) =>
      source.addEventListener(name, (event) => take(/** @type {CustomEvent} */ (event).detail), { signal });
    const live = this.toggleAttribute("data-recording", address.has("recording")) ? this : events;
    on(live, "network", (row) => this.take(row));
    const arrived = takeArrived();
    if (live === events) for (const row of arrived) this.take(row);
    on(live, "gap", (gap) => this.#missed(gap?.missed ?? null));
    on(live, "status", () => this.#statusChanged());
    document.addEventListener("keydown", (event) => this.#key(event), { signal });
    on(this.grid, "open", (id) => this.open(id));
    on(this.grid, "move", (id) => this.detail.hidden || this.open(id));
    on(this.grid, "choose", (choice) => this.#tools?.choose(choice));
    on(this.grid, "follow", () => this.#showNew());
    on(this.detail, "close", () => this.close());
    on(this.detail, "show", (id) => this.openWanted(id));
    on(need(this, "#new-rows", HTMLElement), "click", () => this.grid.follow());
    this.#early?.catch(() => {});
    await ready;
    this.inert = false;
    this.#tools = new NetworkTools(this, this.grid, signal);
    this.#tools.addEventListener("change", () => {
      this.#newCount = 0;
      this.show();
    });
    await this.load();
    this.dispatchEvent(new Event("able"));
    await session.known;
    const fault = session.state?.ended_by_fault;
    if (fault) tellFault(fault);
  }

  /** Requests one part of the log. @param {number} page from 0 @param {number} after */
  #read(page, after) {
    const path = `${log}?limit=${pages[Math.min(page, pages.length - 1)]}${after ? `&after=${after}` : ""}${
      this.#isTool ? "&source=tool" : ""
    }`;
    return call("GET", path, { signal: this.signal });
  }

  /** Shows the console's own requests instead of the app's, or the app's again. @param {boolean} isShown */
  showTool(isShown) {
    if (isShown === this.#isTool) return;
    this.pause?.end();
    this.toggleAttribute("data-tool", this.#isTool = isShown);
    [this.#arrived, this.#early] = [[], null];
    void this.load();
  }

  /** Loads the whole log; rows that arrive in the meantime are merged after it. */
  async load() {
    if (this.pause) {
      this.pause.isOverdue = true;
      return;
    }
    const turn = this.#loads += 1;
    const isFirst = this.#asOf === 0;
    this.#isLoading = true;
    const store = isFirst ? this.grid.store : new RowStore();
    try {
      let [after, page] = [0, 0];
      for (;;) {
        const answer = await (this.#early ?? this.#read(page, after));
        this.#early = null;
        if (turn !== this.#loads) return;
        if (page === 0) {
          store.begin(answer);
          this.#wasCleared = !answer.events.length && answer.next > 0;
        }
        const change = store.merge(answer.events);
        if (isFirst) {
          this.grid.lines.gaps = withEnds([], store.ends);
          this.grid.lines.take(change);
          this.#asOf = Date.now();
          this.show();
        }
        const next = Number(answer.next ?? 0);
        if (!answer.events.length || !(next > after)) break;
        [after, page] = [next, page + 1];
      }
      if (!isFirst) {
        if (!this.#isTool) await this.#tools?.refill(store);
        if (turn !== this.#loads) return;
        this.grid.changing(() => {
          this.grid.swap(store);
          this.grid.lines.gaps = withEnds(this.grid.lines.gaps, store.ends);
          this.#tools?.compile();
        });
      }
      this.#isLoading = false;
      this.#error = null;
      this.#asOf = Date.now();
      this.#merge();
      if (isFirst && !this.#isTool && events.status.state === "live") {
        void takeRowsSince(this.grid.store.lastSequence, (row) => this.take(row));
      }
      this.show();
      if (this.#wanted) this.openWanted(this.#wanted);
    } catch (error) {
      if (turn !== this.#loads || (error instanceof ApiError && error.code === "aborted")) return;
      this.#isLoading = false;
      this.#error = error;
      if (this.#asOf) return this.show();
      showProblem(this, error, () => void this.load());
    }
  }

  /** Opens a row and brings it into view, as soon as it is here. @param {string} name its id, or its number in the log */
  openWanted(name) {
    const id = this.grid.store.idNamed(name);
    this.#wanted = this.grid.store.slotOf(id) >= 0 ? null : id;
    if (/^\d+$/.test(id)) {
      if (this.pause?.holds(Number(id))) this.pause.end();
      else if (!this.#isLoading) this.open(id); // The pane says that it is not here.
      return;
    }
    if (this.#wanted) this.pause?.end(); // It may wait there.
    this.grid.activate(id, false);
    this.open(id);
    if (!this.#wanted && this.grid.lines.placeOf(id) < 0) this.#tools?.reveal(id);
  }

  /** @param {NetworkRow} row */
  take(row) {
    if (!row?.id || this.#isTool) return;
    if (this.pause && this.grid.store.slotOf(row.id) < 0) return this.pause.take(row);
    if (this.#arrived.push(row) > 1) return;
    // Rows that arrive together are merged once; a hidden tab merges less often.
    const isSlow = this.grid.lines.order !== null && this.grid.lines.count > 5000;
    setTimeout(() => this.#merge(), document.hidden ? 1000 : isSlow ? 500 : this.grid.store.count > 20_000 ? 60 : 30);
  }

  #merge() {
    if (this.#isLoading) return;
    // New rows move the rows on screen. A row that moves during a press gets no click, and another row can get it.
    if (isPressed(this.grid.rows.place)) return void setTimeout(() => this.#merge(), 30);
    const rows = this.#arrived;
    this.#arrived = [];
    if (!rows.length) return;
    const [{ grid }, last] = [this, this.grid.store.lastSequence];
    let added = 0;
    grid.changing(() => {
      added = grid.lines.take(grid.store.merge(rows));
    });
    if (this.#wanted && grid.store.slotOf(grid.store.idNamed(this.#wanted)) >= 0) {
      added = Math.max(0, added - 1); // It is no news.
      this.openWanted(this.#wanted);
    }
    this.#tools?.merged(added, rows);
    if (!grid.isFollowing) this.#newCount += added;
    this.detail.rowChanged(rows.findLast((row) => row.id === this.detail.rowId));
    this.show();
    const next = Math.min(...rows.map((row) => (row.seq > last ? row.seq : Infinity)));
    if (!last || next === Infinity || next <= last + 1) return;
    void missingRows(grid, last, next, this.signal, (n) => this.#missed(n, last));
  }

  /** Records that events were missed and loads the log again. @param {number | null} missed how many @param {number} [after] */
  #missed(missed, after = this.grid.store.lastSequence) {
    if (this.#asOf) noteGap(this.grid.lines, missed, after);
    void this.load();
  }

  show() {
    if (!this.#asOf) return;
    const { store, lines } = this.grid;
    const view = store.count === 0 ? "empty" : lines.shown === 0 ? "none" : "ready";
    if (this.dataset.shown !== view) showView(this, this.dataset.shown = view);
    if (view === "empty") {
      const title = t(this.#wasCleared ? "network.cleared_title" : "network.empty_title");
      need(this, '[data-view="empty"] .title', HTMLElement).textContent = title;
    } else if (view === "none") {
      const filter = this.#filter.value;
      const shown = filter.length > longestShown ? `${filter.slice(0, longestShown)}…` : filter;
      const place = need(this, "#none-text", HTMLElement);
      place.title = shown === filter ? "" : filter;
      place.textContent = t("network.none", { n: store.count, filter: shown });
    }
    const count = t(lines.shown === store.count ? "rows.count" : "network.rows_of", { n: store.count, shown: lines.shown });
    const text = store.dropped && !store.isKept ? `${count} · ${t("network.dropped", { n: store.dropped })}` : count;
    const place = need(this, "#row-count", HTMLElement);
    if (place.textContent !== text) place.textContent = text;
    this.#showNew();
    this.#showNotice();
    this.#tools?.shown();
    this.grid.schedule();
  }

  #showNew() {
    if (this.grid.isFollowing) this.#newCount = 0;
    const pill = need(this, "#new-rows", HTMLElement);
    pill.hidden = this.#newCount === 0;
    if (this.#newCount) pill.textContent = t("network.new", { n: this.#newCount });
  }

  #statusChanged() {
    const isLive = events.status.state === "live";
    if (isLive && this.#wasDown) void this.load();
    else if (isLive && this.#asOf && !this.#isLoading) void takeRowsSince(this.grid.store.lastSequence, (row) => this.take(row));
    if (!isLive && !this.#wasDown && this.#asOf) this.#asOf = Date.now();
    this.#wasDown = !isLive && events.status.state !== "connecting";
    this.#showNotice();
  }

  #showNotice() {
    const isStale = Boolean(this.#asOf) && (this.#wasDown || Boolean(this.#error));
    const notice = need(this, "#network-notice", HTMLElement);
    notice.hidden = !isStale;
    if (isStale) explain(notice, this.#error, this.#asOf, () => void this.load());
  }

  /** @param {string} id */
  open(id) {
    setParameter("row", id);
    this.toggleAttribute("data-open", true);
    this.detail.grid = this.grid;
    void this.detail.open(id);
  }

  close() {
    if (this.detail.hidden) return;
    this.detail.close();
    this.toggleAttribute("data-open", false);
    this.#wanted = null;
    this.grid.activate(this.grid.active, true);
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    // Dialogs have their own keys.
    if (isTyping(event) || event.defaultPrevented || this.hidden || document.querySelector("dialog[open]")) return;
    if (!pageKeys.includes(event.key) && !(rowKeys.includes(event.key) && event.target === document.body)) return;
    event.preventDefault();
    if (event.key === "/") this.#filter.focus();
    else if (!this.grid.key(event)) this.#tools?.key(event.key);
  }
}

customElements.define("network-console", NetworkConsole);
