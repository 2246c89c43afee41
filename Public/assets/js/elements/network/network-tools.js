// @ts-check
import { lazily } from "../../api.js";
import { busy, need, setParameter } from "../../helpers/dom.js";
import { t } from "../../helpers/i18n.js";
import { isOffline } from "../../helpers/log-end.js";
import { recording } from "../../helpers/log-source.js";
import { betweenTerm } from "../../models/network/histogram.js";
import { RowSelection } from "../../models/network/row-selection.js";
import { compareHere, openSaving, showBanner } from "../common/dialogs.js";
import { openComposer } from "../exports/row-actions.js";
import { RowReport } from "../exports/row-report.js";
import { attachRowMenu } from "./attach-row-menu.js";
import { clearLog } from "./clear-log.js";
import { ColumnEditor } from "./column-editor.js";
import { FallBars } from "./fall-bars.js";
import { GridFilter } from "./grid-filter.js";
import { attachHead } from "./grid-head.js";
import { LogPause } from "./log-pause.js";
import { NetworkHistogram } from "./network-histogram.js";
import { OlderRows } from "./older-rows.js";
import { pinRow } from "./pin-row.js";
import { revealRow } from "./reveal-row.js";
import { nameRows } from "./row-names.js";

/**
 * @typedef {import("./network-grid.js").NetworkGrid} NetworkGrid
 * @typedef {import("./network-console.js").NetworkConsole} NetworkConsole
 * @typedef {import("../../models/network/row-view.js").NetworkRow} NetworkRow
 */

const openExport = lazily(() => import("../exports/export-dialog.js"), "openExport");
const toggleDrift = lazily(() => import("./drift-section.js"), "toggleDrift");

/** What works on the grid from its toolbar: filter, time brush, sorting, groups, pins, pause, clearing. Dispatches `change`. */
export class NetworkTools extends EventTarget {
  #histogram;
  #report;
  /** Made when the console has older rows than the page. @type {OlderRows | null} */
  #older = null;

  /**
   * Makes the tools once the page has its words.
   * @param {NetworkConsole} view
   * @param {NetworkGrid} grid
   * @param {AbortSignal} signal
   */
  constructor(view, grid, signal) {
    super();
    this.view = view;
    this.grid = grid;
    this.signal = signal;
    this.#histogram = need(view, "network-histogram", NetworkHistogram);
    this.#report = new RowReport(signal);
    this.selection = new RowSelection(grid.lines);
    this.filter = new GridFilter(view, grid, this.#histogram, signal);
    this.#listen();
    attachRowMenu(view, this, signal);
    this.compile();
    const bars = grid.bars = new FallBars();
    grid.rows.onRest = () => {
      nameRows(grid.lines, grid.rows.drawn);
      bars.renew();
    };
    if (recording !== null && !isOffline) void showBanner(view);
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

  #listen() {
    const { view, grid, signal } = this;
    /** @param {string} selector @param {(button: HTMLElement) => unknown} act */
    const onPress = (selector, act) => {
      const button = need(view, selector, HTMLElement);
      button.addEventListener("click", () => act(button), { signal });
    };
    this.filter.addEventListener("change", () => {
      this.#histogram.changed();
      this.dispatchEvent(new Event("change"));
    });
    onPress("#clear-filter", () => this.filter.write(""));
    for (const chip of view.querySelectorAll("[data-term]")) {
      chip.addEventListener("click", () => this.filter.toggle(chip.getAttribute("data-term") ?? ""), { signal });
    }
    need(view, "#group-rows", HTMLElement).setAttribute("aria-pressed", String(grid.lines.isGrouped));
    onPress("#group-rows", () => this.#group());
    attachHead(view, grid, () => this.#showRole(), signal);
    const columns = new ColumnEditor(grid.columns);
    onPress("#columns", (button) => columns.openMenu(button));
    onPress("#export", (button) => busy(button, () => openExport(this.#exported)));
    onPress("#compose", (button) => busy(button, () => openComposer((id) => view.openWanted(id))));
    onPress("#open-drift", () => toggleDrift(view, (text) => this.filter.write(text), signal));
    onPress("#save-recording", () => openSaving(this.#exported));
    onPress("#pause-log", () => {
      if (view.pause) view.pause.end();
      else view.pause = new LogPause(view);
    });
    onPress("#resume-log", () => view.pause?.end());
    onPress("#clear-log", (button) => busy(button, async () => {
      await clearLog(view);
      this.choose({ slots: [] });
    }));
    this.#histogram.addEventListener("brush", (event) => {
      const span = /** @type {CustomEvent} */ (event).detail;
      this.filter.between(span ? betweenTerm(span.from, span.to) : "");
    }, { signal });
    for (const source of [grid, this.view.detail]) {
      source.addEventListener("pin", (event) => void this.pin(/** @type {CustomEvent} */ (event).detail), { signal });
    }
    onPress("#clear-selection", () => {
      this.choose({ slots: [] });
      grid.grid.focus();
    });
    onPress("#compare-selected", async () => {
      const [one = "", other = ""] = this.selection.ids;
      await compareHere([one, other], (id) => view.openWanted(id));
    });
    view.addEventListener("show-row", (event) => {
      event.preventDefault();
      view.openWanted(/** @type {CustomEvent} */ (event).detail);
    }, { signal });
    // An entry of the history has the address of its time, but the page stays as it is.
    addEventListener("popstate", () => {
      setParameter("q", this.filter.text.trim());
      setParameter("flat", grid.lines.isGrouped ? "" : "1");
    }, { signal });
    const parameters = new URLSearchParams(location.search);
    if (parameters.get("flat") === "1") this.#group();
  }

  /** Applies the filter again to the current log. */
  compile() {
    this.filter.compile();
    this.#histogram.store = this.grid.store;
    this.#histogram.changed();
  }

  /** Offers the older rows that the console keeps. */
  shown() {
    const { isKept, dropped } = this.grid.store;
    if (this.#older || (isKept && dropped)) (this.#older ??= new OlderRows(this.view, this, this.signal)).show();
  }

  /**
   * Reads the older rows that were shown into a log that is loaded again.
   * @param {import("../../models/network/row-store.js").RowStore} store
   */
  async refill(store) {
    await this.#older?.refill(store);
  }

  /** Takes note of rows that arrived, of which so many are new in view. @param {number} added @param {NetworkRow[]} rows */
  merged(added, rows) {
    this.#report.take(added, rows);
    this.filter.merged();
    this.#histogram.changed();
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
    need(this.view, "#compare-selected", HTMLElement).hidden = count !== 2;
    need(this.view, "#selection-count", HTMLElement).textContent = t("network.selected", { n: count });
    this.dispatchEvent(new Event("select"));
  }

  /** Brings a row into view. @param {string} id */
  reveal(id) {
    revealRow(this.view, this, id);
  }

  /** Pins a row, or lets it go. @param {string} id */
  async pin(id) {
    if (recording === null) await pinRow(this.grid.store, id);
  }
}
