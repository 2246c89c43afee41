// @ts-check
import { call } from "../../api.js";
import { events } from "../../events.js";
import { h, isPressed, loadStyle, need, plainButton } from "../../helpers/dom.js";
import { table } from "../../helpers/table.js";
import { dateTime, t } from "../../helpers/i18n.js";
import { covered } from "../../helpers/covered.js";
import { recording, sourcePath } from "../../helpers/log-source.js";
import { problemPanel } from "../common/problem-view.js";
import { endpointFilter } from "../../models/network/drift.js";
import { callName } from "../../models/network/row-view.js";
import { driftCells, driftColumns } from "../common/detail-parts.js";

/**
 * @typedef {import("../../models/network/drift.js").DriftBody} DriftBody
 * @typedef {import("../../models/network/drift.js").DriftEndpoint} DriftEndpoint
 */

/** Where the drift of the page's rows is. */
const address = sourcePath("drift");

/** How long changes are collected before the section loads again, in milliseconds. */
const pause = 500;

/** @type {DriftSection | null} */
let section = null;

/**
 * Opens or closes the section of a view.
 * @param {HTMLElement & {openWanted(id: string): void}} view
 * @param {(text: string) => void} filter sets the filter's text
 * @param {AbortSignal} signal
 */
export function toggleDrift(view, filter, signal) {
  section ??= new DriftSection(view, filter, signal);
  section.toggle();
}

/** The section that lists the drift of this device, or of a recording, by endpoint. */
class DriftSection {
  #place;
  #timer = 0;
  #turn = 0;
  /** The endpoints that are open. @type {Set<string>} */
  #open = new Set();

  /**
   * @param {HTMLElement & {openWanted(id: string): void}} view
   * @param {(text: string) => void} filter
   * @param {AbortSignal} signal
   */
  constructor(view, filter, signal) {
    this.filter = filter;
    this.view = view;
    this.signal = signal;
    this.#place = need(view, "#drift", HTMLElement);
    // A recording stays as it is.
    if (recording === null) events.addEventListener("network", (event) => {
      const row = /** @type {CustomEvent} */ (event).detail;
      if (row?.drift) this.#changed();
    }, { signal });
    this.#place.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || this.#place.hidden) return;
      event.preventDefault();
      this.toggle();
      need(this.view, "#view", HTMLElement).focus();
    }, { signal });
  }

  /** Opens or closes the section. */
  toggle() {
    this.#place.hidden = !this.#place.hidden;
    if (this.#place.hidden) return;
    this.#place.tabIndex = -1;
    this.#place.focus({ preventScroll: true });
    void this.load();
  }

  /** Loads the section again soon, if it is open. */
  #changed() {
    if (this.#place.hidden || this.#timer) return;
    this.#timer = setTimeout(() => {
      this.#timer = 0;
      void this.load();
    }, pause);
  }

  /** Loads the drift and shows it; a problem has a button to try again. */
  async load() {
    const turn = this.#turn += 1;
    await Promise.all([loadStyle("network-detail"), loadStyle("network-drift")]);
    /** @type {DriftBody} */
    let body;
    try {
      body = await call("GET", address, { signal: this.signal });
    } catch (error) {
      if (turn === this.#turn && !this.signal.aborted) {
        this.#place.replaceChildren(problemPanel(error, () => void this.load()));
      }
      return;
    }
    if (turn !== this.#turn) return;
    if (isPressed(this.#place)) return this.#changed();
    this.#draw(body);
    // The document can arrive after the page.
    if (body.document.state === "loading") this.#changed();
  }

  /** @param {DriftBody} body */
  #draw(body) {
    const held = document.activeElement instanceof HTMLElement && this.#place.contains(document.activeElement)
      ? document.activeElement.dataset.key
      : undefined;
    const { endpoints } = body;
    const all = plainButton("button button-small", {
      "data-key": "all",
      onclick: () => this.filter("drift:any"),
    }, t("drift.show_all"));
    this.#place.replaceChildren(
      h("h2", { class: "drift-title", id: "drift-title" }, t("drift.title")),
      ...documentLines(body, () => this.filter("source:tool")),
      // The rows of a recording are compared for this section alone.
      endpoints.length && recording === null ? h("div", { class: "row" }, all) : "",
      ...endpoints.map((endpoint) => this.#endpoint(endpoint)),
      body.unlisted ? h("p", { class: "muted small" }, t("drift.unlisted", { n: body.unlisted })) : "",
    );
    if (held) [...this.#place.querySelectorAll("[data-key]")].find((one) => isKey(one, held))?.focus();
  }

  /** @param {DriftEndpoint} endpoint */
  #endpoint(endpoint) {
    // The rows of a recording are listed by operation.
    const path = recording === null ? endpoint.path : endpoint.endpoint;
    const key = `${endpoint.method} ${path}`;
    const details = h(
      "details",
      { class: "drift-endpoint", open: this.#open.has(key) },
      h(
        "summary",
        { "data-key": key },
        h("bdi", { class: "mono", dir: "ltr" }, ...covered(callName({ ...endpoint, path }))),
        h("span", { class: "muted small nums" }, t("rows.count", { n: endpoint.rows })),
        h("span", { class: "muted small" }, seen(endpoint)),
      ),
      table(
        "headers drift-table",
        key,
        columns.map((name) => t(name)),
        endpoint.differences.map((one) => this.#difference(one)),
      ),
      recording === null
        ? plainButton("button button-small", {
          "data-key": `show ${key}`,
          onclick: () => this.filter(endpointFilter(endpoint)),
        }, t("drift.show_rows"))
        : null,
    );
    details.addEventListener("toggle", () => {
      if (details.open) this.#open.add(key);
      else this.#open.delete(key);
    });
    return details;
  }

  /** @param {import("../../models/network/drift.js").DriftDifference} one */
  #difference(one) {
    const last = plainButton("link", { onclick: () => this.view.openWanted(one.last_row_id) }, t("drift.last"));
    return [
      ...driftCells(one),
      h("td", { class: "nums" }, String(one.count)),
      h("td", { class: "small" }, seen(one), " ", last),
    ];
  }
}

const columns = [...driftColumns, "drift.count", "drift.seen"];

/** @param {Element} element @param {string} key @returns {element is HTMLElement} */
const isKey = (element, key) => element instanceof HTMLElement && element.dataset.key === key;

/** @param {{first_seen_at: string, last_seen_at: string}} of */
const seen = ({ first_seen_at: first, last_seen_at: last }) =>
  t("drift.seen_value", { first: dateTime(first), last: dateTime(last) });

/**
 * The document that calls are compared with, or why there is none.
 * @param {DriftBody} body
 * @param {() => void} showRequest shows how the document was asked for
 * @returns {Node[]}
 */
function documentLines({ document: known, endpoints, compared, dropped, elsewhere, coverage }, showRequest) {
  const source = h("bdi", { class: "mono", dir: "ltr" }, known.source);
  if (known.state === "loading") return [h("p", { role: "status" }, t("drift.loading"), " ", source)];
  if (known.state === "none") {
    const detail = known.detail ? h("bdi", { class: "muted small", dir: "ltr" }, known.detail) : null;
    return [
      h("p", {}, t(`drift.none.${known.reason}`), " ", known.source ? source : null, " ", detail),
      ...(known.row_id
        ? [plainButton("button button-small", { "data-key": "asked", onclick: showRequest }, t("drift.show_rows"))]
        : []),
      h("p", { class: "muted small" }, t("drift.how")),
    ];
  }
  const name = h("bdi", { dir: "auto" }, `${known.title ?? ""} ${known.version ?? ""}`.trim() || "–");
  /** @type {Node[]} */
  const lines = [
    h("p", {}, t("drift.compared_with"), " ", name, " ", source, " · ", t("drift.operations", { n: known.operations ?? 0 })),
    h("p", { class: "muted small nums" }, t(recording === null ? "drift.compared" : "drift.compared_rows", { n: compared })),
  ];
  if (elsewhere) lines.push(h("p", { class: "muted small nums" }, t("drift.elsewhere", { n: elsewhere })));
  if (coverage) lines.push(...coverageLines(coverage));
  if (dropped) lines.push(h("p", { class: "muted small nums" }, t("drift.dropped", { n: dropped })));
  if (known.notes?.length) {
    lines.push(h("ul", { class: "muted small" }, ...known.notes.map((note) => h("li", { dir: "ltr" }, note))));
  }
  if (!endpoints.length) lines.push(h("p", {}, t(recording === null ? "drift.empty" : "drift.empty_recording")));
  return lines;
}

/**
 * The seen parts of the document, and the unseen operations.
 * @param {NonNullable<DriftBody["coverage"]>} coverage
 */
function coverageLines({ operations, seen_operations: some, responses, seen_responses: answers, list }) {
  const unseen = list.filter((one) => one.rows === 0).map(({ method, path: template }) => `${method} ${template}`);
  const seenLine = h("p", { class: "muted small nums" }, t("drift.coverage", { some, operations, answers, responses }));
  if (!unseen.length) return [seenLine];
  const names = unseen.map((name) => h("li", {}, h("bdi", { class: "mono", dir: "ltr" }, name)));
  const all = h("ul", { class: "small" }, ...names);
  return [seenLine, h("details", { class: "drift-endpoint" }, h("summary", {}, t("drift.unseen", { n: unseen.length })), all)];
}
