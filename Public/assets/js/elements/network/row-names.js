// @ts-check
import { byteSize, currentWords, milliseconds, t } from "../../helpers/i18n.js";
import { flag } from "../../models/network/row-store.js";
import { isFaulted } from "../../models/network/row-fault.js";
import { callName, flowName, isUndecodable, statusLabel } from "../../models/network/row-view.js";
import { faultLabel } from "./grid-row.js";

/**
 * @typedef {import("../../models/network/row-lines.js").RowLines} RowLines
 * @typedef {import("./grid-row.js").GridRow} GridRow
 */

/** Gives each line a name that reads like a sentence. @param {RowLines} lines @param {GridRow[]} rows */
export function nameRows(lines, rows) {
  for (const row of rows) {
    const name = nameOf(lines, row.drawn.index);
    if (name && row.element.getAttribute("aria-label") !== name) row.element.setAttribute("aria-label", name);
    else if (!name) row.element.removeAttribute("aria-label");
  }
}

/** @param {RowLines} lines @param {number} place */
function nameOf(lines, place) {
  if (place < 0 || place >= lines.count) return "";
  const line = lines.line(place);
  if (line.kind === "row") {
    const isDrifting = ((lines.store.columns.flags[line.slot] ?? 0) & flag.drift) !== 0;
    return rowName(lines.store.row(line.slot), line.level === 1 && lines.hasGroups, isDrifting);
  }
  if (line.kind !== "flow" && line.kind !== "call") return "";
  const summary = lines.summary(line.kind, line.id);
  const last = lines.store.row(summary.last);
  const what = line.kind === "flow" ? flowName(last.flow, t) : callName(last);
  return sentence([
    what,
    t(line.kind === "flow" ? "rows.count" : "row.tries", { n: summary.count }),
    summary.failed ? t("row.failures", { n: summary.failed }) : "",
    summary.isRunning ? t("row.pending") : milliseconds(summary.end - summary.start),
  ]);
}

/** @param {import("../../models/network/row-view.js").NetworkRow} row @param {boolean} isOuter @param {boolean} isDrifting */
function rowName(row, isOuter, isDrifting) {
  const label = statusLabel(row);
  return sentence([
    callName({ method: row.method, path: row.path + (row.query ? `?${row.query}` : "") }),
    isOuter ? flowName(row.flow, t) : "",
    label.digits ? t("row.said_status", { status: label.digits }) : t(label.key ?? "row.pending"),
    row.duration_ms === undefined ? "" : milliseconds(row.duration_ms),
    row.response_bytes === undefined ? "" : byteSize(row.response_bytes),
    row.attempt > 1 ? t("row.attempt", { n: row.attempt }) : "",
    isUndecodable(row) ? t("row.undecodable") : "",
    isFaulted(row) ? faultLabel(row) : "",
    row.source === "cache" || row.source === "replay" ? t(`row.source.${row.source}`) : "",
    isDrifting ? t("row.drift") : "",
    row.is_pinned ? t("row.pinned") : "",
  ]);
}

/** @param {string[]} parts */
function sentence(parts) {
  const list = new Intl.ListFormat(currentWords().locale, { type: "unit" });
  return list.format(parts.filter(Boolean));
}
