// @ts-check
import { ApiError, call, once } from "../../api.js";
import { h, loadStyle } from "../../helpers/dom.js";
import { t } from "../../helpers/i18n.js";
import { recording, rowPath } from "../../helpers/log-source.js";
import { problemPanel } from "../common/problem-view.js";
import { causeOf, codeOf, triggered } from "../../models/network/cause.js";
import { isFaulted } from "../../models/network/row-fault.js";
import { LiveElement, loadWords } from "../../page.js";
import { faultLink } from "../faults/fault-link.js";
import { DetailFrame, tabs } from "./detail-frame.js";
import { deviceOf, enter, followHistory, leave } from "./detail-history.js";
import { whyMissing } from "./missing-row.js";
import { causeLine, drift, overview, redactions, request, response } from "../common/detail-parts.js";
import { timing } from "./detail-timing.js";

/**
 * @typedef {import("../../models/network/row-view.js").NetworkRow} NetworkRow
 * @typedef {{headers?: [string, string][], body?: string, body_note?: string,
 *   tokens?: import("../../models/network/masked-token.js").MaskedToken[]}} Message
 * @typedef {NetworkRow & {url?: string, request?: Message, response?: Message & {status?: number},
 *   timings?: Record<string, number>, redactions?: {where: string, kind: string, count: number}[], error_detail?: string,
 *   presented_pins?: string[], connection?: {http_version?: string, server_address?: string}}} Detail
 */

/** One row whole, in tabs. Dispatches `close` when a person closes it, `show` with the id of a row to open, and `pin` with its own. */
export class NetworkDetail extends LiveElement {
  /** @type {string | null} */
  rowId = null;
  /** @type {Detail | null} */
  row = null;
  /** @type {unknown} */
  #problem = null;
  #tab = "overview";
  #turn = 0;
  /** Ends the request for the row that is being opened. */
  #reading = new AbortController();
  /** The grid that has the rows around this one. @type {import("./network-grid.js").NetworkGrid | null} */
  grid = null;
  /** Built when the first row is opened. @type {DetailFrame | null} */
  #frame = null;
  /** Leads to the fault rule that acted on the row. @type {HTMLElement | null} */
  #fault = null;

  connectedCallback() {
    const { signal } = this;
    followHistory(this, signal);
    this.addEventListener("show-row", (event) => {
      event.preventDefault();
      this.#show(/** @type {CustomEvent} */ (event).detail);
    }, { signal });
    this.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || event.defaultPrevented) return;
      event.preventDefault();
      this.dispatchEvent(new Event("close"));
    }, { signal });
  }

  /** @override */
  disconnectedCallback() {
    super.disconnectedCallback();
    this.#reading.abort();
  }

  /** Opens another row. @param {string} id */
  #show(id) {
    this.dispatchEvent(new CustomEvent("show", { detail: id }));
  }

  /** The frame, which is built once. */
  #framed() {
    if (this.#frame) return this.#frame;
    const frame = this.#frame = new DetailFrame();
    frame.close.addEventListener("click", () => this.dispatchEvent(new Event("close")));
    frame.pin.addEventListener("click", () => this.dispatchEvent(new CustomEvent("pin", { detail: this.rowId })));
    frame.tabList.addEventListener("click", (event) => {
      const tab = event.target instanceof Element ? event.target.closest('[role="tab"]') : null;
      if (tab) this.#select(tab.id.replace("tab-", ""));
    });
    frame.tabList.addEventListener("keydown", (event) => this.#tabKey(event));
    this.replaceChildren(...frame.parts);
    return frame;
  }

  /** @param {KeyboardEvent} event */
  #tabKey(event) {
    const at = tabs.findIndex((name) => name === this.#tab);
    const forward = getComputedStyle(this).direction === "rtl" ? "ArrowLeft" : "ArrowRight";
    const back = forward === "ArrowLeft" ? "ArrowRight" : "ArrowLeft";
    const target = { [forward]: at + 1, [back]: at - 1 + tabs.length, Home: 0, End: tabs.length - 1 }[event.key];
    if (target === undefined) return;
    event.preventDefault();
    this.#select(tabs[target % tabs.length] ?? "overview");
    document.getElementById(`tab-${this.#tab}`)?.focus();
  }

  /** @param {string} name */
  #select(name) {
    this.#tab = name;
    this.#frame?.select(name);
    this.#showTab();
  }

  /** Opens a row; what was open stays until the new one is there. @param {string} id */
  async open(id) {
    const turn = this.#turn = this.#turn + 1;
    this.#reading.abort();
    const { signal } = this.#reading = new AbortController();
    const isOther = id !== this.rowId;
    this.rowId = id;
    this.hidden = false;
    enter(id);
    try {
      const [row] = await Promise.all([call("GET", rowPath(id), { signal }), loadWords("detail"), loadStyle("network-detail")]);
      if (turn !== this.#turn) return;
      this.row = row;
      this.#fault = isFaulted(row) ? faultLink(row) : null;
      this.#problem = null;
    } catch (error) {
      if (turn !== this.#turn || (error instanceof ApiError && error.code === "aborted")) return;
      if (!isOther && this.row) return;
      this.row = null;
      this.#problem = error;
    }
    this.#framed().show(this.row);
    this.#showStory();
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
    this.#reading.abort();
    leave();
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

  /** Shows above the tabs why the row failed and which fault rule acted on it. */
  #showStory() {
    const { row } = this;
    const told = row ? causeOf(row, codeOf(row.response?.body), this.#related(row)) : [];
    this.#frame?.story.replaceChildren(
      ...(this.#fault ? [this.#fault] : []),
      ...(told.length ? [causeLine(told, (id) => this.#show(id))] : []),
    );
  }

  #showTab() {
    const panel = this.#frame?.panel;
    if (!panel) return;
    const { row } = this;
    if (!row) {
      const [id, problem] = [this.rowId, this.#problem];
      panel.replaceChildren(problem && id ? problemPanel(problem, () => void this.open(id)) : "");
      if (id && problem instanceof ApiError && problem.code === "not_found") {
        void whyMissing(deviceOf(id)).then((why) => {
          if (this.#problem === problem) panel.replaceChildren(why);
        }, () => {});
      }
      return;
    }
    const content = {
      overview: () => overview(row, (id) => this.#show(id), triggered(row, this.#related(row).parent)),
      request: () => request(row),
      response: () => response(row),
      timing: () => timing(row.timings ?? {}),
      faults: () => this.#fault ? [faultLink(row), clientDid(row)] : [h("p", { class: "muted" }, t("detail.no_faults"))],
      drift: () => drift(row),
      redactions: () => redactions(row),
    }[this.#tab];
    panel.replaceChildren(...(content?.() ?? []));
    panel.scrollTop = 0;
  }
}

const promises = once(() => import("../faults/fault-promises.js"));

/** What the client did after the fault of a row; nothing if the row is not of the device's log. @param {Detail} row */
function clientDid(row) {
  const list = h("ul", { class: "small", hidden: true });
  if (recording === null) void promises().then(({ showRowPromises }) => showRowPromises(list, row.seq)).catch(() => {});
  return list;
}

customElements.define("network-detail", NetworkDetail);
