// @ts-check
import { once } from "../../api.js";
import { busy, isPressable, need, setParameter } from "../../helpers/dom.js";
import { t } from "../../helpers/i18n.js";
import { recording } from "../../helpers/log-source.js";
import { RowReport } from "../exports/row-report.js";
import { betweenTerm } from "../../models/network/histogram.js";
import { RowSelection } from "../../models/network/row-selection.js";
import { filtersKey } from "../../models/network/saved-filters.js";
import { FallBars } from "./fall-bars.js";
import { attachHead } from "./grid-head.js";
import { attachRowMenu } from "./attach-row-menu.js";
import { NetworkHistogram } from "./network-histogram.js";
import { nameRows } from "./row-names.js";

/**
 * @typedef {import("./network-grid.js").NetworkGrid} NetworkGrid
 * @typedef {import("./network-console.js").NetworkConsole} NetworkConsole
 * @typedef {import("./grid-filter.js").GridFilter} GridFilter
 * @typedef {import("../../models/network/row-view.js").NetworkRow} NetworkRow
 */

const [filtering, exporting] = [once(() => import("./grid-filter.js")), once(() => import("../exports/export-dialog.js"))];
const [composing, drifting] = [once(() => import("../exports/request-composer.js")), once(() => import("./drift-section.js"))];
const [revealing, pinning] = [once(() => import("./reveal-row.js")), once(() => import("./pin-row.js"))];
const [pausing, clearing] = [once(() => import("./log-pause.js")), once(() => import("./clear-log.js"))];
const [saving, reading] = [
  once(() => import("../common/save-recording.js")),
  once(() => import("../common/recording-banner.js")),
];
const comparing = once(() => import("../common/row-compare.js"));
const older = once(() => import("./older-rows.js"));

/** What works on the grid from its toolbar: filter, time brush, sorting, groups, pins, pause, clearing. Dispatches `change`. */
export class NetworkTools extends EventTarget {
  #histogram;
  #report;
  /** Loaded when it is first used. @type {GridFilter | null} */
  #filter = null;
  /** Loaded when the console has older rows than the page. @type {import("./older-rows.js").OlderRows | null} */
  #older = null;

  /**
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
    /** Opens the menu of the line that was pressed. */
    this.openMenu = attachRowMenu(view, this, signal);
  }

  /** Begins, once the page has its words; with a filter to apply, once that is loaded. */
  async start() {
    const { grid } = this;
    this.#listen();
    this.compile();
    const bars = grid.bars = new FallBars();
    grid.rows.onRest = () => {
      nameRows(grid.lines, grid.rows.drawn);
      bars.renew();
    };
    const { value } = need(this.view, "#filter", HTMLInputElement);
    if (value || localStorage.getItem(filtersKey)) await this.filter().catch(() => {});
    if (recording !== null) void reading().then(({ showBanner }) => showBanner(this.view));
    if (this.#filter) return;
    this.dispatchEvent(new Event("change"));
  }

  /** The filter; it is loaded first. */
  filter = once(async () => {
    const { startFilter } = await filtering();
    const filter = await startFilter(this.view, this.grid, this.#histogram, this.signal);
    this.#filter = filter;
    filter.addEventListener("change", () => {
      this.#histogram.changed();
      this.dispatchEvent(new Event("change"));
    });
    this.dispatchEvent(new Event("change"));
    return filter;
  });

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
   * Loads the module of an element at the first press of its button, and presses it then.
   * @param {string} name
   * @param {() => Promise<unknown>} load
   */
  #atFirstPress(name, load) {
    const place = need(this.view, name, HTMLElement);
    const button = need(place, "button", HTMLElement);
    const loaded = new AbortController();
    place.addEventListener("click", (event) => {
      event.stopPropagation();
      if (!isPressable(button)) return;
      void busy(button, async () => void await load()).then(() => loaded.abort()).then(() => button.click());
    }, { capture: true, signal: AbortSignal.any([loaded.signal, this.signal]) });
  }

  #listen() {
    const { view, grid, signal } = this;
    /** @param {string} selector @param {(button: HTMLElement) => unknown} act */
    const onPress = (selector, act) => {
      const button = need(view, selector, HTMLElement);
      button.addEventListener("click", () => act(button), { signal });
    };
    const input = need(view, "#filter", HTMLInputElement);
    for (const name of ["focus", "input"]) {
      input.addEventListener(name, () => void this.filter(), { signal });
    }
    onPress("#clear-filter", async () => (await this.filter()).write(""));
    for (const chip of view.querySelectorAll("[data-term]")) {
      chip.addEventListener("click", async () => {
        (await this.filter()).toggle(chip.getAttribute("data-term") ?? "");
      }, { signal });
    }
    need(view, "#group-rows", HTMLElement).setAttribute("aria-pressed", String(grid.lines.isGrouped));
    onPress("#group-rows", () => this.#group());
    attachHead(view, grid, () => this.#showRole(), signal);
    onPress("#columns", async (button) => (await grid.columnEditor()).openMenu(button));
    for (const place of [need(view, ".grid-head", HTMLElement), need(view, "#splitter", HTMLElement)]) {
      for (const name of ["pointerover", "focusin"]) {
        place.addEventListener(name, () => void grid.columnEditor(), { signal, once: true });
      }
      // The pointer or the focus may have come before this module.
      if (place.matches(":hover, :focus-within")) void grid.columnEditor();
    }
    this.#atFirstPress("export-dialog", async () => {
      const { ExportDialog } = await exporting();
      need(view, "export-dialog", ExportDialog).source ??= () => this.#exported;
    });
    this.#atFirstPress("request-composer", composing);
    onPress("#open-drift", async () => {
      (await drifting()).toggleDrift(view, async (text) => (await this.filter()).write(text), signal);
    });
    onPress("#save-recording", async () => (await saving()).openSaving(this.#exported));
    onPress("#pause-log", async () => {
      const { LogPause } = await pausing();
      if (view.pause) view.pause.end();
      else view.pause = new LogPause(view);
    });
    onPress("#resume-log", () => view.pause?.end());
    onPress("#clear-log", (button) => busy(button, async () => {
      await (await clearing()).clearLog(view);
      this.choose({ slots: [] });
    }));
    this.#histogram.addEventListener("brush", async (event) => {
      const span = /** @type {CustomEvent} */ (event).detail;
      (await this.filter()).between(span ? betweenTerm(span.from, span.to) : "");
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
      await (await comparing()).compareHere([one, other], (id) => view.openWanted(id));
    });
    view.addEventListener("show-row", (event) => {
      event.preventDefault();
      view.openWanted(/** @type {CustomEvent} */ (event).detail);
    }, { signal });
    const parameters = new URLSearchParams(location.search);
    if (parameters.get("flat") === "1") this.#group();
  }

  /** Applies the filter again to the current log. */
  compile() {
    if (this.#filter) this.#filter.compile();
    else this.grid.lines.filter(() => true);
    this.#histogram.store = this.grid.store;
    this.#histogram.changed();
  }

  /** Offers the older rows that the console keeps. */
  shown() {
    const { isKept, dropped } = this.grid.store;
    if (this.#older || (isKept && dropped)) {
      void older().then(({ OlderRows }) => (this.#older ??= new OlderRows(this.view, this, this.signal)).show(), () => {});
    }
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
    this.#filter?.merged();
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
  async reveal(id) {
    (await revealing()).revealRow(this.view, this, id);
  }

  /** Pins a row, or lets it go. @param {string} id */
  async pin(id) {
    if (recording === null) await (await pinning()).pinRow(this.grid.store, id);
  }
}
