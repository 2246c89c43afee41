// @ts-check
import { call } from "../../api.js";
import { loadStyle, openDialog } from "../../helpers/dialog.js";
import { h } from "../../helpers/dom.js";
import { t } from "../../helpers/i18n.js";
import { rowPath } from "../../helpers/log-source.js";
import { problemText } from "../../helpers/problem-view.js";
import { showToast } from "../../helpers/notice.js";
import { rowDifferences } from "../../models/network/row-diff.js";
import { loadWords } from "../../page.js";

/** The longest value that is shown whole. */
const longest = 300;

/**
 * Opens a dialog with what differs between two rows.
 * @param {string} first
 * @param {string} second
 * @param {(id: string) => void} open shows a row
 */
export async function openComparison(first, second, open) {
  let rows;
  try {
    rows = await Promise.all([first, second].map((id) => call("GET", rowPath(id))));
    await Promise.all([loadWords("compare"), loadStyle("compare"), loadStyle("network-detail")]);
  } catch (error) {
    showToast(problemText(error), [], "bad");
    return;
  }
  rows.sort((left, right) => left.seq - right.seq);
  const differences = rowDifferences(rows[0], rows[1]);
  const head = rows.map((row) =>
    h("th", { scope: "col" }, h("button", {
      type: "button",
      class: "link",
      onclick: () => {
        dialog?.close();
        open(row.id);
      },
    }, h("bdi", { dir: "ltr" }, `#${row.seq} ${row.method} `, h("span", { "data-secret": "" }, row.path))))
  );
  const parts = /** @type {const} */ ([
    ["call", "compare.call"],
    ["request", "compare.request"],
    ["response", "compare.response"],
  ]);
  const table = h(
    "table",
    { class: "compare" },
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, t("compare.what")), ...head)),
    ...parts.map(([part, key]) => {
      const found = differences.filter((one) => one.part === part);
      return found.length
        ? h(
          "tbody",
          {},
          h("tr", {}, h("th", { colspan: 3, scope: "rowgroup" }, t(key))),
          ...found.map((one) =>
            h("tr", {}, h("th", { scope: "row" }, h("bdi", { dir: "ltr" }, one.name)), cell(one.one), cell(one.other))
          ),
        )
        : null;
    }),
  );
  const dialog = await openDialog(
    "compare",
    t("compare.title"),
    differences.length ? h("div", { class: "compare-scroll", tabindex: "0", role: "region", "aria-label": t("compare.title") }, table)
      : h("p", {}, t("compare.same")),
  );
}

/** @param {string | null} value */
const cell = (value) =>
  value === null
    ? h("td", { class: "faint" }, t("compare.missing"))
    : h("td", {}, h("bdi", { dir: "auto", "data-secret": "" }, value.length > longest ? `${value.slice(0, longest)}…` : value));
