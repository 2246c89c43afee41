// @ts-check
import { drifts, fields, kinds, parts } from "./filter-fields.js";
import { quoted } from "./filter-syntax.js";
import { sources } from "./row-view.js";

/**
 * @typedef {import("./row-store.js").RowStore} RowStore
 * A completion: `text` replaces what is between `from` and `to`; `count` rows have the value.
 * @typedef {{text: string, label: string, count: number | null}} Suggestion
 * @typedef {{from: number, to: number, items: Suggestion[]}} Completion
 */

const most = 12;
const fixed = /** @type {Record<string, string[]>} */ ({
  is: kinds,
  source: [...sources],
  has: parts,
  drift: drifts,
  dur: [">100ms", ">500ms", ">1s", ">5s"],
  size: [">1kb", ">10kb", ">100kb", ">1mb"],
  since: ["1m", "5m", "15m", "1h"],
});
const columns =
  /** @type {const} */ ({ method: "method", endpoint: "endpoint", path: "path", host: "host", flow: "flowName", error: "error" });

/**
 * The completions at the caret: fields, or the values of a field in the rows, the most frequent first.
 * @param {string} text
 * @param {number} caret
 * @param {RowStore} store
 * @returns {Completion}
 */
export function complete(text, caret, store) {
  const before = text.slice(0, caret);
  // The word under the caret, whose quotation mark may still be open.
  const start = before.length - (/(?:[^\s()|"]|"(?:[^"\\]|\\.)*(?:"|$))*$/.exec(before)?.[0].length ?? 0);
  const end = caret + (/^[^\s()|"]*/.exec(text.slice(caret))?.[0].length ?? 0);
  const word = before.slice(start);
  const sign = /^[-!]/.exec(word)?.[0] ?? "";
  const bare = word.slice(sign.length);
  const colon = bare.indexOf(":");
  const from = start + sign.length;
  if (colon < 0) return { from, to: end, items: fieldNames(bare, store) };
  const field = bare.slice(0, colon).toLowerCase();
  const typed = bare.slice(colon + 1).replaceAll('"', "");
  const [head, last] = [typed.slice(0, typed.lastIndexOf(",") + 1), typed.slice(typed.lastIndexOf(",") + 1)];
  const items = valuesOf(field, store)
    .filter(({ value }) =>
      value.toLowerCase().includes(last.toLowerCase()) && value.toLowerCase() !== last.toLowerCase()
    )
    .slice(0, most)
    .map(({ value, count }) => ({ text: `${field}:${quoted(head + value)} `, label: value, count }));
  return { from, to: end, items };
}

/** @param {string} typed @param {RowStore} store @returns {Suggestion[]} */
function fieldNames(typed, store) {
  const name = typed.toLowerCase();
  const names = fields.filter((field) => field.startsWith(name) && field !== "between")
    .map((field) => ({ text: `${field}:`, label: `${field}:`, count: null }));
  if (!name) return names;
  const endpoints = valuesOf("endpoint", store).filter(({ value }) => value.toLowerCase().includes(name)).slice(0, 5)
    .map(({ value, count }) => ({ text: `endpoint:${quoted(value)} `, label: `endpoint:${value}`, count }));
  return [...names, ...endpoints].slice(0, most);
}

/** @param {string} field @param {RowStore} store @returns {{value: string, count: number | null}[]} */
function valuesOf(field, store) {
  const known = Object.hasOwn(fixed, field) ? fixed[field] : undefined;
  if (known) return known.map((value) => ({ value, count: null }));
  const name = Object.hasOwn(columns, field) ? columns[/** @type {keyof typeof columns} */ (field)] : undefined;
  const column = name ? store.columns[name] : field === "status" ? store.columns.status : null;
  if (!column) return [];
  const values = [...countsOf(store, field, column)].map(([value, count]) => ({
    value: name ? store.texts.text(value) : String(value),
    count,
  }));
  values.sort((one, other) => other.count - one.count || (one.value < other.value ? -1 : 1));
  return field === "status" ? [...families(values), ...values] : values;
}

/** The last counts, because every keystroke of a word needs the same ones. */
const last = {
  store: /** @type {RowStore | null} */ (null),
  key: "",
  counts: /** @type {Map<number, number>} */ (new Map()),
};

/** How many rows have each value of a column. @param {RowStore} store @param {string} field @param {ArrayLike<number>} column */
function countsOf(store, field, column) {
  // A row that ends changes its values in place, so the counts are kept for only a second.
  const key = [field, store.generation, store.lastSequence, Math.floor(Date.now() / 1000)].join(" ");
  if (last.store === store && last.key === key) return last.counts;
  // Values are numbers of texts, or statuses: an array counts them in a tenth of the time of a map.
  const rows = new Uint32Array(Math.max(store.texts.count, 1 << 16));
  const { order, head, count } = store;
  for (let place = head; place < head + count; place += 1) {
    const value = column[order[place] ?? 0] ?? 0;
    rows[value] = (rows[value] ?? 0) + 1;
  }
  /** @type {Map<number, number>} */
  const counts = new Map();
  rows.forEach((number, value) => value && number && counts.set(value, number));
  Object.assign(last, { store, key, counts });
  return counts;
}

/** @param {{value: string, count: number}[]} statuses */
function families(statuses) {
  return ["2xx", "3xx", "4xx", "5xx"].map((value) => ({
    value,
    count: statuses.filter((one) => one.value[0] === value[0]).reduce((sum, one) => sum + one.count, 0),
  })).filter((one) => one.count > 0);
}
