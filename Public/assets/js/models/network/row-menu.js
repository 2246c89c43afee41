// @ts-check
import { termFor } from "./filter-edit.js";
import { endpointLabel } from "./row-view.js";

/** @typedef {import("./row-view.js").NetworkRow} NetworkRow */

/**
 * The filters for a row: the term of each, and its text in the menu.
 * @param {NetworkRow} row
 * @returns {{term: string, shown: string}[]}
 */
export function termsOfRow(row) {
  const terms = [{ term: termFor("path", row.path), shown: row.path }];
  if (endpointLabel(row)) terms.push({ term: termFor("endpoint", row.endpoint), shown: row.endpoint });
  terms.push({ term: `method:${row.method}`, shown: row.method });
  if (row.status !== undefined) terms.push({ term: `status:${row.status}`, shown: String(row.status) });
  else if (row.error) terms.push({ term: termFor("error", row.error), shown: row.error });
  if (row.flow) terms.push({ term: termFor("flow", row.flow), shown: row.flow });
  return terms;
}

/**
 * The rule that blocks the calls of a row. The console accepts names of up to 60 visible characters, without those that isolate a
 * path in a sentence.
 * @param {NetworkRow} row
 * @param {string} name
 */
export const blockingRule = ({ method, path }, name) => ({
  name: Array.from(name.replace(/\p{Cf}/gu, "")).slice(0, 60).join(""),
  match: { method, path },
  when: {},
  action: { kind: "offline" },
});
