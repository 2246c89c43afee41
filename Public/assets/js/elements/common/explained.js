// @ts-check
// The sentences of an explanation, in the page's language, with links to the rows.
import { call } from "../../api.js";
import { covered } from "../../helpers/covered.js";
import { h } from "../../helpers/dom.js";
import { clockTime, currentWords, dateTime, t } from "../../helpers/i18n.js";
import { recording } from "../../helpers/log-source.js";
import { inOneUnit, marks, parts } from "../../models/explain/explanation.js";
import { loadWords } from "../../page.js";

/**
 * @typedef {import("../../models/explain/explanation.js").Explanation} Explanation
 * @typedef {import("../../models/explain/explanation.js").Value} Value
 * @typedef {import("../../models/explain/explanation.js").Values} Values
 */

/**
 * Asks the console for the explanation of a log, and loads its words.
 * @param {string | null} of a recording, or null for the device
 * @returns {Promise<Explanation>}
 */
export async function loadExplanation(of = recording) {
  const path = of === null ? "/api/explain" : `/api/recordings/${encodeURIComponent(of)}/explain`;
  const [explanation] = await Promise.all([call("GET", path), loadWords("explain")]);
  return explanation;
}

/**
 * A link to a row of the network page, where it opens in place.
 * @param {number} row
 * @param {string | null} of the recording that has it, or null for the device
 * @param {Record<string, string>} attributes
 * @param {...(Node | string)} children
 */
export const rowAnchor = (row, of, attributes, ...children) =>
  h("a", {
    ...attributes,
    href: `/network?${new URLSearchParams({ ...(of === null ? {} : { recording: of }), row: String(row) })}`,
    "data-number": row,
    onclick: (/** @type {MouseEvent} */ event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
      const show = new CustomEvent("show-row", { bubbles: true, cancelable: true, detail: String(row) });
      const { currentTarget: anchor } = event;
      if (anchor instanceof Element && !anchor.dispatchEvent(show)) event.preventDefault();
    },
  }, ...children);

/** A length of time with one unit. @param {number} duration milliseconds */
export function lengthText(duration) {
  const { value, unit } = inOneUnit(duration);
  return new Intl.NumberFormat(currentWords().locale, { style: "unit", unit, maximumFractionDigits: 1 }).format(value);
}

/** A status in words. @param {number | undefined} status 0 and undefined for no response */
export const statusText = (status) => status ? t("explain.status", { status: String(status) }) : t("explain.no_response");

/** @param {Value} value @param {string | null} of @returns {Node | string} */
function shown({ row, rows, text, time, date, span_ms: span, status, token }, of) {
  if (row !== undefined) return rowAnchor(row, of, { class: "nums" }, String(row));
  if (time !== undefined) return h("time", { datetime: time, class: "nums", title: dateTime(time) }, clockTime(time));
  if (date !== undefined) return h("time", { datetime: date, class: "nums" }, dateTime(date));
  if (span !== undefined) return h("span", { class: "nums" }, lengthText(span));
  if (status !== undefined) return statusText(status);
  if (token !== undefined) return t(`explain.token.${token}`);
  return h("bdi", {}, ...covered(text ?? rows?.join(", ") ?? ""));
}

/**
 * A sentence with its values.
 * @param {{sentence: string, values: Values}} finding
 * @param {string | null} of the recording whose log it is about, or null for the device
 * @returns {(Node | string)[]}
 */
export const sentence = ({ sentence: name, values }, of = recording) =>
  parts(t(`explain.${name}`, marks(values)), values).map((part) => typeof part === "string" ? part : shown(part, of));
