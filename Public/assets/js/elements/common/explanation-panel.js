// @ts-check
// A panel above a log that explains why the session in the log ended.
import { covered } from "../../helpers/covered.js";
import { h, loadStyle } from "../../helpers/dom.js";
import { moment, preciseTime, t } from "../../helpers/i18n.js";
import { recording } from "../../helpers/log-source.js";
import { endOf, evidenceOf, toneOf } from "../../models/explain/explanation.js";
import { lengthText, loadExplanation, rowAnchor, sentence, statusText } from "./explained.js";

/** @typedef {import("../../models/explain/explanation.js").Explanation} Explanation */

/** Shows the explanation of the page's log above its rows. @param {HTMLElement} view */
export async function showExplanation(view) {
  const [explanation] = await Promise.all([loadExplanation(), loadStyle("explanation")]);
  view.querySelector(".explanation")?.remove();
  view.prepend(panel(explanation));
}

/** @param {Explanation} explanation */
function headline(explanation) {
  if (explanation.verdict !== "signed_out") return t(`explain.${explanation.verdict}`);
  const end = endOf(explanation);
  return end ? t("explain.signed_out_at", { time: moment(end) }) : t("explain.signed_out");
}

/** @param {Explanation} explanation */
function panel(explanation) {
  const { findings, lacks } = explanation;
  const rows = evidenceOf(explanation);
  return h(
    "section",
    { class: "explanation stack-tight", "data-tone": toneOf(explanation), "aria-label": t("explain.title") },
    h("h2", { class: "explanation-title" }, headline(explanation)),
    ...findings.map((finding) => h("p", { "data-kind": finding.kind }, ...sentence(finding))),
    rows.length
      ? h(
        "details",
        { class: "small" },
        h("summary", {}, t("explain.rows", { n: rows.length })),
        h("ol", { class: "explanation-rows" }, ...rows.map(line)),
      )
      : null,
    lacks.length
      ? h(
        "div",
        { class: "small explanation-lacks" },
        h("h3", { class: "label" }, t("explain.lacks")),
        h("ul", {}, ...lacks.map((lack) => h("li", {}, ...sentence(lack)))),
      )
      : null,
  );
}

/** A row of the findings. @param {ReturnType<typeof evidenceOf>[number]} row */
function line({ row, at, method, path, status, since }) {
  const call = `${method} ${path}`;
  return h(
    "li",
    {},
    rowAnchor(
      row,
      recording,
      { class: "nums", "aria-label": t("explain.row", { row: String(row), call, status: statusText(status) }) },
      String(row),
    ),
    h("time", { datetime: at, class: "nums" }, preciseTime(at)),
    h("bdi", { class: "explanation-call" }, ...covered(call)),
    h("span", { class: "nums" }, status ? String(status) : t("explain.no_response")),
    since === null ? null : h("bdi", { class: "nums muted" }, `+${lengthText(since)}`),
  );
}
