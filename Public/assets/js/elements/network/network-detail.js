// @ts-check
import { ApiError, call } from "../../api.js";
import { loadStyle } from "../../helpers/dialog.js";
import { h, need } from "../../helpers/dom.js";
import { t } from "../../helpers/i18n.js";
import { problemPanel } from "../../helpers/problem-view.js";
import { causeOf, codeOf } from "../../models/network/cause.js";
import { causeLine, faults, message, overview, redactions, response, timing } from "./detail-parts.js";
import { RowActions } from "../exports/row-actions.js";

/**
 * @typedef {import("../../models/network/row-view.js").NetworkRow} NetworkRow
 * @typedef {{headers?: [string, string][], body?: string, body_note?: string}} Message
 * @typedef {NetworkRow & {url?: string, request?: Message, response?: Message & {status?: number},
 *   timings?: Record<string, number>, redactions?: {where: string, kind: string, count: number}[], error_detail?: string,
 *   presented_pins?: string[]}} Detail
 */

const tabs = ["overview", "request", "response", "timing", "faults", "redactions"];

/** One row whole, in tabs. Dispatches `close` when a person closes it, `show` with the id of a row to open, and `pin` with its own. */
export class NetworkDetail extends HTMLElement {
  /** @type {string | null} */
  rowId = null;
  /** @type {Detail | null} */
  row = null;
  /** @type {unknown} */
  #problem = null;
  #tab = "overview";
  #turn = 0;
  /** The grid that has the rows around this one. @type {import("./network-grid.js").NetworkGrid | null} */
  grid = null;
  #actions = need(this, "row-actions", RowActions);

  connectedCallback() {
    need(this, "#close-detail", HTMLElement).addEventListener("click", () => this.dispatchEvent(new Event("close")));
    need(this, "#pin-row", HTMLElement).addEventListener("click", () => {
      this.dispatchEvent(new CustomEvent("pin", { detail: this.rowId }));
    });
    this.addEventListener("show-row", (event) => {
      event.preventDefault();
      this.dispatchEvent(new CustomEvent("show", { detail: /** @type {CustomEvent} */ (event).detail }));
    });
    this.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.preventDefault();
      this.dispatchEvent(new Event("close"));
    });
    const list = need(this, '[role="tablist"]', HTMLElement);
    list.addEventListener("click", (event) => {
      const tab = event.target instanceof Element ? event.target.closest('[role="tab"]') : null;
      if (tab) this.#select(tab.id.replace("tab-", ""), false);
    });
    list.addEventListener("keydown", (event) => this.#tabKey(event));
  }

  /** @param {KeyboardEvent} event */
  #tabKey(event) {
    const at = tabs.indexOf(this.#tab);
    const forward = getComputedStyle(this).direction === "rtl" ? "ArrowLeft" : "ArrowRight";
    const back = forward === "ArrowLeft" ? "ArrowRight" : "ArrowLeft";
    const target = { [forward]: at + 1, [back]: at - 1 + tabs.length, Home: 0, End: tabs.length - 1 }[event.key];
    if (target === undefined) return;
    event.preventDefault();
    this.#select(tabs[target % tabs.length] ?? "overview", true);
  }

  /** @param {string} name @param {boolean} isFocused */
  #select(name, isFocused) {
    this.#tab = name;
    for (const tab of this.querySelectorAll('[role="tab"]')) {
      const isChosen = tab.id === `tab-${name}`;
      tab.setAttribute("aria-selected", String(isChosen));
      tab.setAttribute("tabindex", isChosen ? "0" : "-1");
      if (isChosen && isFocused && tab instanceof HTMLElement) tab.focus();
    }
    this.#showTab();
  }

  /** Opens a row; what was open stays until the new one is there. @param {string} id */
  async open(id) {
    const turn = this.#turn = this.#turn + 1;
    const isOther = id !== this.rowId;
    this.rowId = id;
    this.hidden = false;
    try {
      const row = await call("GET", `/api/network/${encodeURIComponent(id)}`);
      if (turn !== this.#turn) return;
      this.row = row;
      this.#problem = null;
    } catch (error) {
      if (turn !== this.#turn || (error instanceof ApiError && error.code === "aborted")) return;
      if (!isOther && this.row) return;
      this.row = null;
      this.#problem = error;
    }
    this.#showHead();
    this.#showTab();
  }

  /** Shows the newer revision of the open row. @param {NetworkRow | undefined} row */
  rowChanged(row) {
    if (row && this.row && row.rev > this.row.rev && !this.hidden) void this.open(row.id);
  }

  /** Hides the pane and forgets its row. */
  close() {
    this.hidden = true;
    this.rowId = null;
    this.row = null;
    this.#turn = this.#turn + 1;
  }

  #showHead() {
    const pin = need(this, "#pin-row", HTMLElement);
    pin.hidden = !this.row;
    pin.setAttribute("aria-pressed", String(this.row?.is_pinned === true));
    this.#actions.row = this.row;
    const title = need(this, "#detail-title", HTMLElement);
    title.replaceChildren(
      this.row ? h("bdi", { dir: "ltr" }, `${this.row.method} ${this.row.path}`) : t("detail.gone"),
    );
  }

  /** @param {Detail} row */
  #related(row) {
    const store = this.grid?.store;
    if (!store) return { call: [], children: [], parent: null };
    const parent = row.parent_id ? store.slotOf(row.parent_id) : -1;
    return {
      call: store.rowsBy("call", row.call_id),
      children: store.rowsBy("parent", row.id),
      parent: parent >= 0 ? store.row(parent) : null,
    };
  }

  #showTab() {
    const panel = need(this, '[role="tabpanel"]', HTMLElement);
    panel.setAttribute("aria-labelledby", `tab-${this.#tab}`);
    const { row } = this;
    if (!row) {
      const id = this.rowId;
      panel.replaceChildren(this.#problem && id ? problemPanel(this.#problem, () => void this.open(id)) : "");
      return;
    }
    /** @param {string} id */
    const show = (id) => this.dispatchEvent(new CustomEvent("show", { detail: id }));
    const content = {
      overview: () => overview(row, show),
      request: () => message(row.request, t("detail.request_body")),
      response: () => response(row),
      timing: () => timing(row.timings ?? {}),
      faults: () => faults(row),
      redactions: () => redactions(row),
    }[this.#tab];
    const cause = causeLine(causeOf(row, codeOf(row.response?.body), this.#related(row)), show);
    panel.replaceChildren(...(cause ? [cause] : []), ...(content?.() ?? []));
    panel.scrollTop = 0;
  }
}

// The import waits for the style too.
await loadStyle("network-detail");
customElements.define("network-detail", NetworkDetail);
