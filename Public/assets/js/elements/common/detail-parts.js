// @ts-check
import { covered } from "../../helpers/covered.js";
import { fact, h, plainButton } from "../../helpers/dom.js";
import { table } from "../../helpers/table.js";
import { copyButton } from "../../helpers/copy.js";
import { byteSize, currentWords, dateTime, milliseconds, preciseTime, t } from "../../helpers/i18n.js";
import { isOfAnotherClient } from "../../models/network/cause.js";
import { readable, sourceOf } from "../../models/network/json-source.js";
import { flowName, statusLabel } from "../../models/network/row-view.js";
import { JSONTree } from "./json-tree.js";
import { tokenNotes } from "./token-note.js";
import { timelineLink } from "./timeline-link.js";

/**
 * @typedef {import("../network/network-detail.js").Detail} Detail
 * @typedef {import("../network/network-detail.js").Message} Message
 * @typedef {import("../../models/network/cause.js").Happening} Happening
 * @typedef {(id: string) => void} Show opens another row
 */

/** A button that leads to another row. @param {(Node | string)[]} text @param {string} id @param {Show} show */
const rowLink = (text, id, show) => plainButton("link", { onclick: () => show(id) }, ...text);

/** Why the row failed and the client's next step, in plain words. @param {Happening[]} told @param {Show} show @returns {Node} */
export function causeLine(told, show) {
  return h(
    "div",
    { class: "cause", role: "note", "aria-label": t("cause.label") },
    ...told.map((one, index) => {
      const { row } = one;
      return h(
        "p",
        { class: index === 0 ? "cause-why" : null, dir: "auto" },
        ...covered(t(one.key, one.parameters)),
        row ? " " : null,
        row ? rowLink([t("cause.show")], row, show) : null,
      );
    }),
  );
}

/**
 * The first tab: what the row is.
 * @param {Detail} row
 * @param {Show} show
 * @param {Happening | null} cause what it was sent for
 * @returns {Node[]}
 */
export function overview(row, show, cause) {
  const status = statusLabel(row);
  const isForeign = isOfAnotherClient(row);
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
    ["network.col.source", t(`row.source.${row.source}`)],
    // Another program's file has only requests, without their relations.
    ["detail.attempt", isForeign ? "" : String(row.attempt)],
    ["detail.flow", flowName(row.flow, t)],
    ["detail.call", isForeign ? "" : row.call_id, "id"],
    ["detail.connection", [row.connection?.http_version, row.connection?.server_address].filter(Boolean).join(", "), "mono"],
    ["detail.pins", row.presented_pins?.join(", "), "mono"],
  ];
  const list = h(
    "dl",
    { class: "facts-list" },
    ...lines.filter(([, value]) => value).map(([key, value, kind]) =>
      fact(
        t(key),
        h("bdi", {
          class: kind ? "mono" : null,
          dir: kind ? "ltr" : null,
          "data-secret": kind === "id" || kind === "secret",
        }, value),
      )
    ),
    row.parent_id && fact(
      t("detail.parent"),
      rowLink(cause ? covered(t(cause.key, cause.parameters)) : [t("cause.show")], row.parent_id, show),
    ),
  );
  return [list, timelineLink(row.id)];
}

/** The console's notes on missing bodies, by their text. @type {Record<string, string>} */
const notes = {
  "not kept": "note.not_kept",
  "not recorded": "note.not_recorded",
  "not kept: not JSON": "note.unreadable",
  "not kept: too large": "note.too_large",
  dropped: "note.dropped",
};

/**
 * Headers and body of one side.
 * @param {Message | undefined} part
 * @param {string} label
 * @param {string} when the row started
 * @returns {Node[]}
 */
function message(part, label, when) {
  const headers = part?.headers ?? [];
  const [note, body] = [part?.body_note, part?.body];
  return [
    h("h3", {}, t("headers.count", { n: headers.length })),
    headers.length
      ? nameTable(t("detail.headers"), headers, part?.tokens, when)
      : h("p", { class: "small muted" }, t("detail.no_headers")),
    ...(body ? bodyView(body, label, (value, name) => tokenNotes(value, name, part?.tokens, when)) : [h("h3", {}, label)]),
    ...(note ? [h("p", { class: "small muted" }, currentWords().has(notes[note] ?? "") ? t(notes[note] ?? "") : note)] : []),
    ...(body || note ? [] : [h("p", { class: "small muted" }, t("detail.no_body"))]),
  ];
}

/**
 * Names and their values.
 * @param {string} caption
 * @param {[string, string][]} pairs
 * @param {import("../../models/network/masked-token.js").MaskedToken[] | undefined} tokens
 * @param {string} when
 */
function nameTable(caption, pairs, tokens, when) {
  const found = table(
    "headers mono",
    caption,
    [],
    pairs.map(([name, value]) => [
      h("th", { scope: "row" }, name),
      h("td", { "data-secret": true }, value, ...tokenNotes(value, name, tokens, when)),
    ]),
  );
  found.dir = "ltr";
  return found;
}

/** The request: its query, its headers and its body. @param {Detail} row @returns {Node[]} */
export function request(row) {
  const parts = message(row.request, t("detail.request_body"), row.started_at);
  if (!row.query) return parts;
  const items = [...new URLSearchParams(row.query)];
  const title = t("detail.query");
  return [...withRaw(title, nameTable(title, items, row.request?.tokens, row.started_at), row.query), ...parts];
}

/**
 * A heading with a view, which a button changes to the text as it was sent.
 * @param {string} title
 * @param {HTMLElement} view
 * @param {string} text
 */
function withRaw(title, view, text) {
  const place = h("div", {}, view);
  const toggle = plainButton("button button-quiet button-small", {
    "aria-pressed": "false",
    onclick: () => {
      const isRaw = view.isConnected;
      place.replaceChildren(isRaw ? rawText(text, title) : view);
      toggle.setAttribute("aria-pressed", String(isRaw));
    },
  }, t("detail.raw"));
  return [heading(title, text, toggle), place];
}

/** @param {string} title @param {string} text @param {HTMLElement | null} [toggle] */
const heading = (title, text, toggle) =>
  h("h3", { class: "row" }, h("span", { class: "grow" }, title), toggle, copyButton(() => text, t("copy.value", { name: title })));

/** @param {string} body @param {string} label @param {JSONTree["notes"]} known */
function bodyView(body, label, known) {
  const source = sourceOf(readable(body));
  if (!source) return [heading(label, body), rawText(body, label)];
  const tree = new JSONTree();
  tree.notes = known;
  tree.show(source, label);
  return withRaw(label, tree, body);
}

/** Characters of a text that are shown at first. */
const firstPart = 65_536;

/** @param {string} body @param {string} label */
function rawText(body, label) {
  const text = h(
    "pre",
    { class: "body-text", dir: "auto", tabindex: "0", "aria-label": label, "data-secret": true },
    body.slice(0, firstPart),
  );
  if (body.length <= firstPart) return text;
  let shown = firstPart;
  const more = plainButton("button button-small", {
    onclick: () => {
      text.append(body.slice(shown, shown * 2));
      shown *= 2;
      more.hidden = shown >= body.length;
    },
  }, t("detail.more_text"));
  return h("div", { class: "stack-tight" }, text, more);
}

/** The response, or the reason for its absence. @param {Detail} row @returns {Node[]} */
export function response(row) {
  if (row.response) return message(row.response, t("detail.response_body"), row.started_at);
  const isOpen = row.state === "pending" || row.state === "waiting";
  return [h("p", { class: "muted" }, t(isOpen ? "detail.no_response_yet" : "detail.no_response"))];
}

/** How the row differs from the API description. @param {Detail} row @returns {Node[]} */
export function drift(row) {
  if (!row.drift?.length) return [h("p", { class: "muted" }, t("drift.none_here"))];
  const more = (row.drift_count ?? 0) - row.drift.length;
  return [
    table("headers drift-list", t("drift.title"), driftColumns.map((key) => t(key)), row.drift.map(driftCells)),
    ...(more > 0 ? [h("p", { class: "muted small" }, t("drift.unlisted", { n: more }))] : []),
  ];
}

/** The keys of a table's heads. */
export const driftColumns = ["drift.where", "redaction.where", "drift.expected", "drift.got"];

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

/** The values that were masked in the row before it was stored. @param {Detail} row @returns {Node[]} */
export function redactions(row) {
  const list = row.redactions ?? [];
  if (!list.length) return [h("p", { class: "muted" }, t("detail.no_redactions"))];
  return [
    h("p", { class: "muted small" }, t("detail.redactions_about")),
    table(
      "headers",
      t("detail.redactions"),
      ["where", "kind", "count"].map((name) => t(`redaction.${name}`)),
      list.map(({ where, kind, count }) => [
        ...[where, kind].map((text) => h("td", {}, h("bdi", { class: "mono" }, text))),
        h("td", { class: "nums" }, String(count)),
      ]),
    ),
  ];
}
