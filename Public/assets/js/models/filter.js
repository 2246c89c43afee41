// @ts-check
/**
 * @typedef {import("./row-log.js").NetworkRow} NetworkRow
 * @typedef {(row: NetworkRow) => boolean} RowTest
 * Where and why a filter is not understood; `at` counts characters from 0, `key` names the sentence of the catalogue.
 * @typedef {{at: number, term: string, key: string}} FilterProblem
 * @typedef {{test: RowTest, problems: FilterProblem[], isEmpty: boolean}} Filter
 */

/** The states and sources that `is:` knows. @type {Record<string, RowTest>} */
const kinds = {
  pending: (row) => row.state === "pending" || row.state === "waiting",
  failed: (row) => row.state === "failure" || row.state === "cancelled" || (row.status ?? 0) >= 400,
  retried: (row) => row.attempt > 1,
  fault: (row) => row.source === "fault" || row.fault_id !== undefined,
  replay: (row) => row.source === "replay",
  cached: (row) => row.source === "cache",
};

/** @type {Record<string, (value: string) => RowTest | null>} */
const fields = {
  method: (value) => {
    const methods = value.toUpperCase().split(",").filter(Boolean);
    return methods.length ? (row) => methods.includes(row.method.toUpperCase()) : null;
  },
  status: (value) => anyOf(value, statusTest),
  endpoint: (value) => (value ? (row) => contains(row.endpoint, value) : null),
  path: (value) => (value ? (row) => contains(row.path, value) : null),
  flow: (value) => (value ? (row) => contains(row.flow, value) : null),
  dur: (value) => numberTest(value.replace(/ms$/i, ""), (row) => row.duration_ms),
  size: (value) => numberTest(value, (row) => row.response_bytes),
  is: (value) => (Object.hasOwn(kinds, value.toLowerCase()) ? kinds[value.toLowerCase()] ?? null : null),
};

/** The fields that a filter may name. */
export const filterFields = Object.keys(fields);

/** @param {string | undefined} text @param {string} part */
const contains = (text, part) => (text ?? "").toLowerCase().includes(part.toLowerCase());

/** @param {string} value @param {(one: string) => RowTest | null} make @returns {RowTest | null} */
function anyOf(value, make) {
  const tests = value.split(",").filter(Boolean).map(make);
  if (!tests.length || tests.includes(null)) return null;
  return (row) => tests.some((test) => test?.(row));
}

/** @param {string} value @returns {RowTest | null} */
function statusTest(value) {
  const family = /^([1-5])xx$/i.exec(value);
  if (family) return (row) => row.status !== undefined && Math.floor(row.status / 100) === Number(family[1]);
  if (/^err(or)?$/i.test(value)) return (row) => row.status === undefined && row.state === "failure";
  if (/^pending$/i.test(value)) return kinds.pending ?? null;
  return numberTest(value, (row) => row.status);
}

/** @param {string} value @param {(row: NetworkRow) => number | undefined} of @returns {RowTest | null} */
function numberTest(value, of) {
  const match = /^(>=|<=|>|<|=)?(\d{1,12})$/.exec(value);
  if (!match) return null;
  const wanted = Number(match[2]);
  const compare = {
    ">=": (/** @type {number} */ n) => n >= wanted,
    "<=": (/** @type {number} */ n) => n <= wanted,
    ">": (/** @type {number} */ n) => n > wanted,
    "<": (/** @type {number} */ n) => n < wanted,
  }[match[1] ?? "="] ?? ((/** @type {number} */ n) => n === wanted);
  return (row) => {
    const actual = of(row);
    return actual !== undefined && compare(actual);
  };
}

/** @param {string} text @returns {RowTest} */
const freeText = (text) => (row) =>
  contains(row.path, text) || contains(row.endpoint, text) || contains(row.method, text) ||
  contains(row.error, text) || String(row.status ?? "").startsWith(text);

/**
 * Reads a filter: terms with a space between, all of which must hold; `-` before a term negates it; `"…"` keeps spaces.
 * A term that is not understood is named in `problems` and holds for every row.
 * @param {string} text
 * @returns {Filter}
 */
export function parseFilter(text) {
  /** @type {RowTest[]} */
  const tests = [];
  /** @type {FilterProblem[]} */
  const problems = [];
  for (const match of text.matchAll(/(?:[^\s"]|"[^"]*"?)+/g)) {
    const [whole, at] = [match[0], match.index];
    if ((whole.match(/"/g) ?? []).length % 2) {
      problems.push({ at, term: whole, key: "filter.open_quote" });
      continue;
    }
    const isNegated = whole.startsWith("-") && whole.length > 1;
    const term = isNegated ? whole.slice(1) : whole;
    const named = /^([a-z]+):(.*)$/i.exec(term);
    const name = named?.[1]?.toLowerCase() ?? "";
    const make = Object.hasOwn(fields, name) ? fields[name] : undefined;
    const value = (make ? named?.[2] ?? "" : term).replaceAll('"', "");
    if (named && !make && !term.startsWith("http")) {
      problems.push({ at, term: whole, key: "filter.unknown_field" });
      continue;
    }
    const test = make ? make(value) : freeText(value);
    if (test) tests.push(isNegated ? (row) => !test(row) : test);
    else problems.push({ at, term: whole, key: value ? "filter.bad_value" : "filter.no_value" });
  }
  return { test: (row) => tests.every((test) => test(row)), problems, isEmpty: tests.length === 0 };
}
