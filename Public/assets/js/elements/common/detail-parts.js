// @ts-check
import { h } from "../../helpers/dom.js";
import { copyButton } from "../../helpers/copy.js";
import { byteSize, currentWords, dateTime, milliseconds, preciseTime, t } from "../../helpers/i18n.js";
import { sourceOf } from "../../models/network/json-source.js";
import { flowName, statusLabel } from "../../models/network/row-view.js";
import { JSONTree } from "./json-tree.js";
import { timelineLink } from "./timeline-link.js";

/**
 * @typedef {import("../network/network-detail.js").Detail} Detail
 * @typedef {import("../network/network-detail.js").Message} Message
 * @typedef {import("../../models/network/cause.js").Happening} Happening
 * @typedef {(id: string) => void} Show opens another row
 */

/** A button that leads to another row. @param {string} text @param {string} id @param {Show} show */
const rowLink = (text, id, show) => h("button", { type: "button", class: "link", onclick: () => show(id) }, text);

/** Why the row failed and what happened next, in plain words. @param {Happening[]} told @param {Show} show @returns {Node} */
export function causeLine(told, show) {
  return h(
    "div",
    { class: "cause", role: "note", "aria-label": t("cause.label") },
    ...told.map((one, index) => {
      const text = t(one.key, one.parameters);
      const { row } = one;
      return h(
        "p",
        { class: index === 0 ? "cause-why" : null, dir: "auto" },
        text,
        row ? " " : null,
        row ? rowLink(t("cause.show"), row, show) : null,
      );
    }),
  );
}

/** The first tab: what the row is. @param {Detail} row @param {Show} show @returns {Node[]} */
export function overview(row, show) {
  const status = statusLabel(row);
  /** @type {[string, string | undefined, ("mono" | "id" | "secret")?][]} */
  const lines = [
    ["detail.url", row.url, "secret"],
    ["network.col.endpoint", row.endpoint, "mono"],
    ["network.col.status", status.digits ?? t(status.key ?? "")],
    ["detail.error", row.error, "mono"],
    ["detail.error_detail", row.error_detail],
    ["detail.started", `${dateTime(row.started_at)} (${preciseTime(row.started_at)})`],
    ["network.col.ms", milliseconds(row.duration_ms)],
    ["detail.sizes", t("detail.sizes_value", { up: byteSize(row.request_bytes), down: byteSize(row.response_bytes) })],
    ["network.col.source", String(row.attempt)],
    ["detail.source", t(`row.source.${row.source}`)],
    ["detail.flow", flowName(row.flow, t)],
    ["detail.call", row.call_id, "id"],
    ["detail.pins", row.presented_pins?.join(", "), "mono"],
  ];
  const list = h(
    "dl",
    { class: "facts-list" },
    ...lines.filter(([, value]) => value).map(([key, value, kind]) =>
      h(
        "div",
        {},
        h("dt", {}, t(key)),
        h(
          "dd",
          {},
          h("bdi", {
            class: kind ? "mono" : null,
            dir: kind ? "ltr" : null,
            "data-secret": kind === "id" || kind === "secret",
          }, value),
        ),
      )
    ),
    row.parent_id
      ? h("div", {}, h("dt", {}, t("detail.parent")), h("dd", {}, rowLink(t("cause.show"), row.parent_id, show)))
      : null,
  );
  return [list, timelineLink(row.id)];
}

/** The notes of the console on bodies that are not there, by what it writes. @type {Record<string, string>} */
const notes = {
  "not kept": "note.not_kept",
  "not recorded": "note.not_recorded",
  "not kept: not JSON": "note.unreadable",
  "not kept: too large": "note.too_large",
  dropped: "note.dropped",
};

/** Headers and body of one side. @param {Message | undefined} part @param {string} label @returns {Node[]} */
export function message(part, label) {
  const headers = part?.headers ?? [];
  const table = h(
    "table",
    { class: "headers mono", dir: "ltr" },
    h("caption", { class: "visually-hidden" }, t("detail.headers")),
    h(
      "tbody",
      {},
      ...headers.map(([name, value]) =>
        h("tr", {}, h("th", { scope: "row" }, name), h("td", { "data-secret": true }, value))
      ),
    ),
  );
  const note = part?.body_note;
  return [
    h("h3", {}, t("detail.headers_count", { n: headers.length })),
    headers.length ? table : h("p", { class: "small muted" }, t("detail.no_headers")),
    h("h3", { class: "spread" }, label, part?.body ? copyButton(() => part.body ?? "", t("detail.copy_body")) : null),
    note
      ? h(
        "p",
        { class: "small muted" },
        notes[note] && currentWords().has(notes[note] ?? "") ? t(notes[note] ?? "") : note,
      )
      : null,
    part?.body ? bodyView(part.body, label) : note ? null : h("p", { class: "small muted" }, t("detail.no_body")),
  ].filter((one) => one !== null);
}

/** Characters of a text that is no JSON which are shown at first. */
const firstPart = 65_536;

/** @param {string} body @param {string} label */
function bodyView(body, label) {
  const source = sourceOf(body);
  if (source) {
    const tree = new JSONTree();
    tree.show(source, label);
    return tree;
  }
  const text = h(
    "pre",
    { class: "body-text", dir: "auto", tabindex: "0", "aria-label": label, "data-secret": true },
    body.slice(0, firstPart),
  );
  if (body.length <= firstPart) return text;
  let shown = firstPart;
  const more = h("button", {
    type: "button",
    class: "button button-small",
    onclick: () => {
      text.append(body.slice(shown, shown * 2));
      shown *= 2;
      more.hidden = shown >= body.length;
    },
  }, t("detail.more_text"));
  return h("div", { class: "stack-tight" }, text, more);
}

/** The answer, or why there is none. @param {Detail} row @returns {Node[]} */
export function response(row) {
  if (row.response) return message(row.response, t("detail.response_body"));
  const isOpen = row.state === "pending" || row.state === "waiting";
  return [h("p", { class: "muted" }, t(isOpen ? "detail.no_response_yet" : "detail.no_response"))];
}

/** How the row differs from the API description. @param {Detail} row @returns {Node[]} */
export function drift(row) {
  if (!row.drift?.length) return [h("p", { class: "muted" }, t("drift.none_here"))];
  const more = (row.drift_count ?? 0) - row.drift.length;
  return [
    h(
      "table",
      { class: "headers drift-list" },
      h("caption", { class: "visually-hidden" }, t("drift.title")),
      h(
        "thead",
        {},
        h("tr", {}, ...driftColumns.map((key) => h("th", { scope: "col" }, t(key)))),
      ),
      h("tbody", {}, ...row.drift.map((one) => h("tr", {}, ...driftCells(one)))),
    ),
    ...(more > 0 ? [h("p", { class: "muted small" }, t("drift.unlisted", { n: more }))] : []),
  ];
}

/** The keys of a table's heads. */
export const driftColumns = ["drift.where", "drift.pointer", "drift.expected", "drift.got"];

/**
 * The cells of a difference, as `driftColumns` names them.
 * @param {import("../../models/network/row-view.js").Drift} one
 * @returns {Node[]}
 */
export const driftCells = (one) => [
  h("td", {}, t(`drift.where.${one.where}`)),
  h("td", {}, h("bdi", { class: "mono", dir: "ltr" }, one.pointer || "–")),
  h("td", {}, h("bdi", { dir: "ltr" }, one.expected)),
  h("td", {}, h("bdi", { dir: "ltr" }, one.got)),
];

/** What was taken out of the row before it was kept. @param {Detail} row @returns {Node[]} */
export function redactions(row) {
  const list = row.redactions ?? [];
  if (!list.length) return [h("p", { class: "muted" }, t("detail.no_redactions"))];
  return [
    h("p", { class: "muted small" }, t("detail.redactions_about")),
    h(
      "table",
      { class: "headers" },
      h("caption", { class: "visually-hidden" }, t("detail.redactions")),
      h(
        "thead",
        {},
        h("tr", {}, ...["where", "kind", "count"].map((name) => h("th", { scope: "col" }, t(`redaction.${name}`)))),
      ),
      h(
        "tbody",
        {},
        ...list.map((one) =>
          h(
            "tr",
            {},
            h("td", {}, h("bdi", { class: "mono" }, one.where)),
            h("td", {}, h("bdi", { class: "mono" }, one.kind)),
            h("td", { class: "nums" }, String(one.count)),
          )
        ),
      ),
    ),
  ];
}
