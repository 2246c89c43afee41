// @ts-check
import { lazily } from "../../api.js";
import { busy, need, setParameter } from "../../helpers/dom.js";
import { byteSize, milliseconds, remaining, t } from "../../helpers/i18n.js";
import { isOffline, recording } from "../../helpers/log-source.js";
import { betweenTerm } from "../../models/network/histogram.js";
import { RowSelection, totals } from "../../models/network/row-selection.js";
import { flag } from "../../models/network/row-store.js";
import { compareHere, openSaving, showBanner } from "../common/dialogs.js";
import { openMenu } from "../common/menu.js";
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
const copyReport = lazily(() => import("../exports/copy-report.js"), "copyReport");
/** The most rows of a report that is copied. */
const longestReport = 20;
const toggleDrift = lazily(() => import("./drift-section.js"), "toggleDrift");

/** The tools of the grid's toolbar: filter, time brush, sorting, groups, pins, pause, clearing. Dispatches `change`. */
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

  /** The rows of an export. */
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
    this.filter.addEventListener("change", () => this.dispatchEvent(new Event("change")));
    onPress("#clear-filter", () => this.filter.write(""));
    for (const chip of view.querySelectorAll("[data-term]")) {
      chip.addEventListener("click", () => this.filter.toggle(chip.getAttribute("data-term") ?? ""), { signal });
    }
    attachHead(view, grid, () => this.#showRole(), signal);
    const columns = new ColumnEditor(grid.columns);
    /**
     * A button that opens a menu. The palette presses an element in it that names the action of an item, which then acts at once.
     * @param {string} selector
     * @param {Record<string, () => unknown>} actions
     * @param {(button: HTMLElement) => unknown} open
     */
    const onMenu = (selector, actions, open) => {
      const button = need(view, selector, HTMLElement);
      button.addEventListener("click", ({ target }) => {
        const action = target instanceof Element ? actions[target.getAttribute("data-action") ?? ""] : undefined;
        void (action ? action() : open(button));
      }, { signal });
    };
    const group = () => this.#group();
    const drift = () => toggleDrift(view, (text) => this.filter.write(text), signal);
    const isDriftOpen = () => !need(view, "#drift", HTMLElement).hidden;
    onMenu("#view", { group_rows: group, drift }, (button) =>
      columns.openMenu(button, [
        ...(isOffline ? [] : [{ id: "drift", label: t("drift.title"), isChecked: isDriftOpen(), act: drift }, null]),
        { id: "group", label: t("network.group"), isChecked: grid.lines.isGrouped, act: group },
      ]));
    const exporting = need(view, "#export", HTMLElement);
    const file = () => busy(exporting, () => openExport(this.#exported));
    const save = () => openSaving(this.#exported);
    onMenu("#export", { export: file, save_recording: save }, (button) => {
      const { ids: chosen } = this.selection;
      const ids = chosen.length || grid.store.slotOf(grid.active) < 0 ? chosen : [grid.active ?? ""];
      return openMenu(t("export.open"), [
        { id: "file", label: t("export.file"), act: file },
        ...(recording === null ? [{ id: "recording", label: t("network.save_recording"), act: save }] : []),
        ...(ids.length && ids.length <= longestReport
          ? [{ id: "report", label: t("export.report"), act: () => busy(exporting, () => copyReport(exporting, ids)) }]
          : []),
      ], button);
    });
    onPress("#compose", (button) => busy(button, () => openComposer((id) => view.openWanted(id))));
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
  }

  /** Shows the totals and the rows by time, and offers the older rows that the console keeps. */
  shown() {
    this.#showTotals();
    this.#histogram.changed();
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
    this.grid.grid.setAttribute("role", hasGroups ? "treegrid" : "grid");
  }

  /** Selects rows; no slots at all end the selection. @param {import("../../models/network/row-selection.js").Choice} choice */
  choose(choice) {
    if ("from" in choice) this.selection.range(choice.from, choice.to);
    else if (choice.slots.length) this.selection.toggle(choice.slots, choice.beside);
    else this.selection.none();
    this.grid.schedule();
    this.#showTotals();
    this.dispatchEvent(new Event("select"));
  }

  /** Shows the totals of the rows in view, and of the selected ones if there are several. */
  #showTotals() {
    const { view, grid: { lines } } = this;
    const [shown, chosen] = [totals(lines, flag.passes), totals(lines, flag.selected)];
    /** @param {string} name @param {string} text */
    const write = (name, text) => {
      const place = need(view, name, HTMLElement);
      if (place.textContent !== text) place.textContent = text;
    };
    const sums = (/** @type {typeof shown} */ { bytes, span }) =>
      `${byteSize(bytes)} · ${span < 60_000 ? milliseconds(span) : remaining(span / 1000)}`;
    write("#row-totals", shown.count ? sums(shown) : "");
    need(view, "#selection", HTMLElement).hidden = chosen.count < 2;
    need(view, "#compare-selected", HTMLElement).hidden = chosen.count !== 2;
    write("#selection-count", chosen.count < 2 ? "" : `${t("network.selected", { n: chosen.count })} · ${sums(chosen)}`);
  }

  /** Brings a row into view. @param {string} id */
  reveal(id) {
    revealRow(this.view, this, id);
  }

  /** Pins or unpins a row. @param {string} id */
  async pin(id) {
    if (recording === null) await pinRow(this.grid.store, id);
  }
}
