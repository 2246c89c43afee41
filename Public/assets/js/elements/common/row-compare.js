// @ts-check
import { call } from "../../api.js";
import { openDialog } from "./dialog.js";
import { h, loadStyle, plainButton } from "../../helpers/dom.js";
import { t } from "../../helpers/i18n.js";
import { rowPath } from "../../helpers/log-source.js";
import { showFailure } from "./notice.js";
import { areComparable } from "../../models/network/mask-diff.js";
import { rowDifferences } from "../../models/network/row-diff.js";
import { shortPath } from "../../models/network/row-view.js";
import { loadWords } from "../../page.js";
import { timingGroup } from "./compare-timing.js";

/**
 * @typedef {import("../../models/network/row-diff.js").ComparedRow} ComparedRow
 * @typedef {import("../../models/network/row-diff.js").Difference} Difference
 * @typedef {import("../../models/network/mask-diff.js").MaskNote} MaskNote
 * A row and where it is: the path of the call that reads it, the name of its log if there are two, and what shows it there.
 * @typedef {{path: string, log?: string, show: (id: string) => void}} Place
 */

/** The longest value that is shown whole. */
const longest = 300;

/** The groups of the table, in order, with their names. */
const groups = /** @type {const} */ ([
  ["call", "compare.call"],
  ["query", "compare.query"],
  ["request", "copy.request_headers"],
  ["request_body", "compare.request_body"],
  ["response", "copy.response_headers"],
  ["response_body", "compare.response_body"],
]);

/** Compares two rows of the log of this page. @param {[string, string]} ids @param {(id: string) => void} show */
export const compareHere = ([one, other], show) => openComparison([{ path: rowPath(one), show }, { path: rowPath(other), show }]);

/**
 * Opens a dialog with two rows side by side.
 * @param {[Place, Place]} places
 * @param {{isOrdered?: boolean}} [wish] whether the first place stands first; else the row that was sent first does
 */
export async function openComparison(places, { isOrdered = false } = {}) {
  /** @type {{place: Place, row: ComparedRow}[]} */
  let sides;
  try {
    sides = await Promise.all(places.map(async (place) => ({ place, row: await call("GET", place.path) })));
    await Promise.all([loadWords("compare"), loadWords("detail"), loadStyle("compare"), loadStyle("network-detail")]);
  } catch (error) {
    showFailure(error);
    return;
  }
  if (!isOrdered) sides.sort((left, right) => left.row.seq - right.row.seq);
  const [one, other] = sides;
  if (!one || !other) return;
  const rows = /** @type {const} */ ([one.row, other.row]);
  const isKnown = one.place.log === other.place.log || areComparable(JSON.stringify(one.row), JSON.stringify(other.row));
  /** @param {MaskNote} note @returns {MaskNote} */
  const told = (note) => isKnown ? note : { ...note, is: "unknown" };
  const head = sides.map(({ place, row }) => columnHead(place, row, () => dialog?.close()));
  const scroll = h("div", { class: "compare-scroll", tabindex: "0", role: "region", "aria-label": t("compare.title") });
  const render = (/** @type {boolean} */ listsSame) => {
    const found = rowDifferences(...rows, listsSame);
    const timing = timingGroup(...rows);
    scroll.replaceChildren(h(
      "table",
      { class: "compare" },
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, t("compare.what")), ...head)),
      ...groups.map(([part, key]) => group(t(key), found.filter((known) => known.part === part), told)),
      timing,
    ));
  };
  const count = rowDifferences(...rows).length;
  const dialog = await openDialog(
    "compare",
    t("compare.title"),
    h(
      "div",
      { class: "spread" },
      h("p", { id: "compare-count" }, count ? t("compare.count", { n: count }) : t("compare.same")),
      h(
        "label",
        { class: "choice" },
        h("input", {
          type: "checkbox",
          id: "compare-all",
          onchange: (/** @type {Event} */ event) => render(/** @type {HTMLInputElement} */ (event.target).checked),
        }),
        h("span", {}, t("compare.everything")),
      ),
    ),
    masksLine(rows, told),
    scroll,
  );
  render(false);
}

/** @param {Place} place @param {ComparedRow} row @param {() => void} close */
const columnHead = (place, row, close) =>
  h(
    "th",
    { scope: "col" },
    place.log ? h("span", { class: "compare-log muted" }, h("bdi", {}, place.log)) : null,
    plainButton("link", {
      onclick: () => {
        close();
        place.show(row.id);
      },
    }, h("bdi", { dir: "ltr" }, `#${row.seq} ${row.method} `, h("span", { "data-secret": "" }, shortPath(row.path)))),
  );

/** @param {string} title @param {Difference[]} found @param {(note: MaskNote) => MaskNote} told */
const group = (title, found, told) =>
  found.length
    ? h(
      "tbody",
      {},
      h("tr", {}, h("th", { colspan: 3, scope: "rowgroup" }, title)),
      ...found.map((one) =>
        h(
          "tr",
          { "data-kind": one.kind },
          h(
            "th",
            { scope: "row" },
            h("bdi", { dir: "ltr" }, one.name),
            one.kind === "same" ? null : h("span", { class: "compare-kind" }, t(`compare.kind.${one.kind}`)),
            ...(one.notes ?? []).map((note) => h("span", { class: "compare-mask" }, maskText(told(note)))),
          ),
          cell(one.one),
          cell(one.other),
        )
      ),
    )
    : null;

/** @param {MaskNote} note */
const maskText = ({ what, is }) => t(`compare.mask.${is}`, { what: t(`compare.masked.${what}`) });

/**
 * The common and the different values behind the rows' masks, in one line.
 * @param {readonly [ComparedRow, ComparedRow]} rows
 * @param {(note: MaskNote) => MaskNote} told
 */
function masksLine(rows, told) {
  const notes = rowDifferences(...rows, true).flatMap((one) => one.notes ?? []).map((note) => maskText(told(note)));
  if (!notes.length) return null;
  const badges = [...new Set(notes)].map((text) => h("span", { class: "badge" }, text));
  return h("p", { class: "compare-masks", id: "compare-masks" }, ...badges);
}

/** @param {string | null} value */
const cell = (value) =>
  value === null
    ? h("td", { class: "faint" }, t("compare.missing"))
    : h("td", {}, h("bdi", { dir: "auto", "data-secret": "" }, value.length > longest ? `${value.slice(0, longest)}…` : value));
