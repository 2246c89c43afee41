// @ts-check
import { call } from "../api.js";
import { copyButton, h, need } from "../helpers/dom.js";
import { byteSize, dateTime, milliseconds, preciseTime, t } from "../helpers/i18n.js";
import { problemPanel } from "../helpers/problem-view.js";
import { parseSource } from "../models/json-source.js";
import { ApiError } from "../models/problem.js";
import { statusLabel, timingBars } from "../models/row-log.js";
import { JSONTree } from "./json-tree.js";

/**
 * @typedef {import("../models/row-log.js").NetworkRow} NetworkRow
 * @typedef {{headers?: [string, string][], body?: string, body_note?: string}} Message
 * @typedef {NetworkRow & {url?: string, request?: Message, response?: Message & {status?: number},
 *   timings?: Record<string, number>, redactions?: {where: string, kind: string, count: number}[], error_detail?: string}} Detail
 */

const tabs = ["overview", "request", "response", "timing"];

/** One row whole, in four tabs. Dispatches `close` when a person closes it. */
export class NetworkDetail extends HTMLElement {
  constructor() {
    super();
    /** @type {string | null} */
    this.rowId = null;
    /** @type {Detail | null} */
    this.row = null;
    /** @type {unknown} */
    this.problem = null;
    this.tab = "overview";
    this.turn = 0;
  }

  connectedCallback() {
    need(this, "#close-detail", HTMLElement).addEventListener("click", () => this.dispatchEvent(new Event("close")));
    this.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      event.preventDefault();
      this.dispatchEvent(new Event("close"));
    });
    const list = need(this, '[role="tablist"]', HTMLElement);
    list.addEventListener("click", (event) => {
      const tab = event.target instanceof Element ? event.target.closest('[role="tab"]') : null;
      if (tab) this.select(tab.id.replace("tab-", ""), false);
    });
    list.addEventListener("keydown", (event) => this.tabKey(event));
  }

  /** @param {KeyboardEvent} event */
  tabKey(event) {
    const at = tabs.indexOf(this.tab);
    const forward = getComputedStyle(this).direction === "rtl" ? "ArrowLeft" : "ArrowRight";
    const back = forward === "ArrowLeft" ? "ArrowRight" : "ArrowLeft";
    const target = { [forward]: at + 1, [back]: at - 1 + tabs.length, Home: 0, End: tabs.length - 1 }[event.key];
    if (target === undefined) return;
    event.preventDefault();
    this.select(tabs[target % tabs.length] ?? "overview", true);
  }

  /** @param {string} name @param {boolean} isFocused */
  select(name, isFocused) {
    this.tab = name;
    for (const tab of this.querySelectorAll('[role="tab"]')) {
      const isChosen = tab.id === `tab-${name}`;
      tab.setAttribute("aria-selected", String(isChosen));
      tab.setAttribute("tabindex", isChosen ? "0" : "-1");
      if (isChosen && isFocused && tab instanceof HTMLElement) tab.focus();
    }
    this.showTab();
  }

  /** Opens a row; what was open stays until the new one is there. @param {string} id */
  async open(id) {
    const turn = this.turn = this.turn + 1;
    const isOther = id !== this.rowId;
    this.rowId = id;
    this.hidden = false;
    try {
      const row = await call("GET", `/api/network/${encodeURIComponent(id)}`);
      if (turn !== this.turn) return;
      this.row = row;
      this.problem = null;
    } catch (error) {
      if (turn !== this.turn || (error instanceof ApiError && error.code === "aborted")) return;
      if (!isOther && this.row) return;
      this.row = null;
      this.problem = error;
    }
    this.showHead();
    this.showTab();
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
    this.turn = this.turn + 1;
  }

  showHead() {
    const title = need(this, "#detail-title", HTMLElement);
    title.replaceChildren(
      this.row ? h("bdi", { dir: "ltr" }, `${this.row.method} ${this.row.path}`) : t("detail.gone"),
    );
  }

  showTab() {
    const panel = need(this, '[role="tabpanel"]', HTMLElement);
    panel.setAttribute("aria-labelledby", `tab-${this.tab}`);
    const { row } = this;
    if (!row) {
      const id = this.rowId;
      panel.replaceChildren(this.problem && id ? problemPanel(this.problem, () => void this.open(id)) : "");
      return;
    }
    const content = {
      overview: () => overview(row),
      request: () => message(row.request, t("detail.request_body")),
      response: () => (row.response ? message(row.response, t("detail.response_body")) : [noResponse(row)]),
      timing: () => timing(row.timings ?? {}),
    }[this.tab];
    panel.replaceChildren(...(content?.() ?? []));
    panel.scrollTop = 0;
  }
}

/** @param {Detail} row @returns {Node} */
const noResponse = (row) =>
  h(
    "p",
    { class: "muted" },
    t(row.state === "pending" || row.state === "waiting" ? "detail.no_response_yet" : "detail.no_response"),
  );

/** @param {Detail} row @returns {Node[]} */
function overview(row) {
  const status = statusLabel(row);
  /** @type {[string, string | undefined, boolean?][]} */
  const lines = [
    ["detail.url", row.url, true],
    ["detail.endpoint", row.endpoint, true],
    ["detail.status", status.digits ?? t(status.key ?? "")],
    ["detail.error", [row.error, row.error_detail].filter(Boolean).join(" – ") || undefined],
    ["detail.started", `${dateTime(row.started_at)} (${preciseTime(row.started_at)})`],
    ["detail.duration", milliseconds(row.duration_ms)],
    ["detail.sizes", t("detail.sizes_value", { up: byteSize(row.request_bytes), down: byteSize(row.response_bytes) })],
    ["detail.attempt", String(row.attempt)],
    ["detail.source", t(`row.source.${row.source}`)],
    ["detail.fault", row.fault_id, true],
    ["detail.flow", row.flow],
    ["detail.call", row.call_id, true],
    ["detail.parent", row.parent_id, true],
  ];
  const list = h(
    "dl",
    { class: "facts-list" },
    ...lines.filter(([, value]) => value).map(([key, value, isMono]) =>
      h("div", {}, h("dt", {}, t(key)), h("dd", {}, h("bdi", isMono ? { class: "mono", dir: "ltr" } : {}, value)))
    ),
  );
  const redactions = row.redactions ?? [];
  return [
    list,
    h("h3", {}, t("detail.redactions")),
    redactions.length
      ? h(
        "ul",
        { class: "redactions small" },
        ...redactions.map((one) =>
          h("li", {}, h("bdi", { class: "mono" }, `${one.where} · ${one.kind}`), ` × ${one.count}`)
        ),
      )
      : h("p", { class: "small muted" }, t("detail.no_redactions")),
  ];
}

/** @param {Message | undefined} part @param {string} label @returns {Node[]} */
function message(part, label) {
  const headers = part?.headers ?? [];
  const table = h(
    "table",
    { class: "headers mono", dir: "ltr" },
    h("caption", { class: "visually-hidden" }, t("detail.headers")),
    h("tbody", {}, ...headers.map(([name, value]) => h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, value)))),
  );
  return [
    h("h3", {}, t("detail.headers_count", { n: headers.length })),
    headers.length ? table : h("p", { class: "small muted" }, t("detail.no_headers")),
    h("h3", { class: "spread" }, label, part?.body ? copyButton(() => part.body ?? "", t("detail.copy_body")) : null),
    part?.body_note ? h("p", { class: "small muted" }, part.body_note) : null,
    bodyView(part?.body, label),
  ].filter((one) => one !== null);
}

/** @param {string | undefined} body @param {string} label */
function bodyView(body, label) {
  if (!body) return h("p", { class: "small muted" }, t("detail.no_body"));
  try {
    const value = parseSource(body);
    const tree = new JSONTree();
    tree.show(value, label);
    return tree;
  } catch {
    return h("pre", { class: "body-text", dir: "auto", tabindex: "0", "aria-label": label }, body);
  }
}

/** @param {Record<string, number | undefined>} timings @returns {Node[]} */
function timing(timings) {
  const rows = timingBars(timings).map(({ name, duration, start, share }) => {
    const bar = h("span", { class: "timing-bar", "data-phase": name });
    bar.style.marginInlineStart = `${start}%`;
    bar.style.inlineSize = `${share}%`;
    return h(
      "tr",
      {},
      h("th", { scope: "row" }, t(`timing.${name}`)),
      h("td", { class: "nums" }, duration === undefined ? t("timing.unknown") : milliseconds(duration)),
      h("td", { class: "timing-lane", dir: "ltr" }, duration === undefined ? null : bar),
    );
  });
  return [
    h(
      "table",
      { class: "timing small" },
      h("caption", { class: "visually-hidden" }, t("timing.caption")),
      h("tbody", {}, ...rows),
      h(
        "tfoot",
        {},
        h(
          "tr",
          {},
          h("th", { scope: "row" }, t("timing.total")),
          h("td", { class: "nums" }, milliseconds(timings.total_ms)),
          h("td", {}),
        ),
      ),
    ),
  ];
}

customElements.define("network-detail", NetworkDetail);
