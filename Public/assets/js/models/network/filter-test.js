// @ts-check
import { choices, instantsOf, isIdText, kindOf, rangeOf, sourceOf, spanOf, statusOf, textPattern } from "./filter-fields.js";
import { searchOf } from "./body-search.js";
import { flag } from "./row-store.js";

/**
 * @typedef {import("./row-store.js").RowStore} RowStore
 * @typedef {import("./filter-syntax.js").Expression} Expression
 * @typedef {import("./filter-syntax.js").Term} Term
 * @typedef {(slot: number) => boolean} SlotTest
 * What a filter needs besides the rows: the time, and the sequence numbers of rows that a search found (null: not known yet).
 * @typedef {{now: number, found: (search: string) => Set<number> | null}} Surroundings
 */

/**
 * A filter as a function of a row's slot. It reads the columns as they are, so it is compiled again when the store's `generation`
 * or `size` changes.
 * @param {Expression} expression
 * @param {RowStore} store
 * @param {Surroundings} around
 * @returns {SlotTest}
 */
export function filterTest(expression, store, around) {
  if (expression.type === "term") return termTest(expression, store, around);
  if (expression.type === "not") {
    const test = filterTest(expression.item, store, around);
    return (slot) => !test(slot);
  }
  const tests = expression.items.map((item) => filterTest(item, store, around));
  const [first, second] = tests;
  if (!first) return () => true;
  if (!second) return first;
  return expression.type === "and" ? allOf(tests) : anyOf(tests);
}

// Loops without a function of their own: each runs once a row.
/** @param {SlotTest[]} tests @returns {SlotTest} */
const allOf = (tests) => (slot) => {
  for (const test of tests) if (!test(slot)) return false;
  return true;
};

/** @param {Term} term @param {RowStore} store @param {Surroundings} around @returns {SlotTest} */
function termTest({ field, value }, store, around) {
  switch (field) {
    case "":
      return bareTest(value, store, around);
    case "method": {
      const methods = new Set(choices(value.toUpperCase()));
      return textTest(store, "method", (text) => methods.has(text.toUpperCase()));
    }
    case "status":
      return anyOf(choices(value).map((one) => statusTest(one, store)));
    case "endpoint":
    case "path":
    case "host":
    case "error":
      return textTest(store, field, patternTest(value));
    case "id":
      return anyOf(choices(value).map((one) => idTest(one, store)));
    case "flow": {
      const byName = textTest(store, "flowName", patternTest(value));
      const number = store.ids.find(value);
      return number ? (slot) => store.columns.flow[slot] === number || byName(slot) : byName;
    }
    case "dur":
      return within(rangeOf(field, value), (slot) => store.columns.duration[slot]);
    case "size":
      return within(rangeOf(field, value), (slot) => store.columns.responseBytes[slot]);
    case "is":
      return anyOf(choices(value).map((one) => kindTest(kindOf(one) ?? "", store)));
    case "source": {
      const wanted = choices(value).map(sourceOf);
      return (slot) => wanted.includes(store.columns.source[slot] ?? 0);
    }
    case "has":
      return anyOf(choices(value).map((one) => partTest(one.toLowerCase(), store)));
    case "drift": {
      const bits = choices(value.toLowerCase()).includes("any") ? flag.drift : flag.driftMissing;
      return (slot) => ((store.columns.flags[slot] ?? 0) & bits) !== 0;
    }
    case "since": {
      const least = around.now - (spanOf(value) ?? 0);
      return (slot) => (store.columns.started[slot] ?? 0) >= least;
    }
    case "between":
      return within(instantsOf(value), (slot) => store.columns.started[slot]);
    case "body":
    case "header": {
      const search = searchOf(field, value) ?? "";
      return (slot) => around.found(search)?.has(store.columns.seq[slot] ?? 0) === true;
    }
    default:
      return () => true;
  }
}

/** @param {SlotTest[]} tests @returns {SlotTest} */
function anyOf(tests) {
  if (tests.length === 1 && tests[0]) return tests[0];
  return (slot) => {
    for (const test of tests) if (test(slot)) return true;
    return false;
  };
}

/** @param {string} value @returns {(text: string) => boolean} */
function patternTest(value) {
  const patterns = choices(value).map(textPattern);
  return (text) => patterns.some((pattern) => pattern.test(text));
}

/**
 * A test of a column of texts.
 * @param {RowStore} store
 * @param {"method" | "path" | "host" | "endpoint" | "flowName" | "error"} name
 * @param {(text: string) => boolean} test
 * @returns {SlotTest}
 */
function textTest(store, name, test) {
  const has = knownTexts(store, test);
  return (slot) => has(store.columns[name][slot] ?? 0);
}

/**
 * A test of texts by number, which looks at each text once however many rows and columns have it; no text does not pass.
 * @param {RowStore} store
 * @param {(text: string) => boolean} test
 * @returns {(number: number) => boolean}
 */
function knownTexts(store, test) {
  let known = new Int8Array(store.texts.count + 64);
  return (number) => {
    if (number === 0) return false;
    if (number >= known.length) {
      const larger = new Int8Array(number * 2);
      larger.set(known);
      known = larger;
    }
    const answer = known[number] ?? 0;
    if (answer) return answer === 1;
    const is = test(store.texts.text(number));
    known[number] = is ? 1 : 2;
    return is;
  };
}

/** @param {string} value @param {RowStore} store @param {Surroundings} around @returns {SlotTest} */
function bareTest(value, store, around) {
  const has = knownTexts(store, patternTest(value));
  // A status is in a port or an address by chance.
  const isNumber = /^\d{1,3}$/.test(value);
  /** @type {SlotTest} */
  const test = (slot) => {
    const { path, query, endpoint, error, host } = store.columns;
    return has(path[slot] ?? 0) || has(query[slot] ?? 0) || has(endpoint[slot] ?? 0) || has(error[slot] ?? 0) ||
      (!isNumber && has(host[slot] ?? 0));
  };
  const tests = [test];
  // The columns are read again for each row, because a store that grows replaces them.
  if (isNumber) {
    tests.push((slot) => (store.columns.status[slot] ?? 0) > 0 && String(store.columns.status[slot]).startsWith(value));
  }
  if (isIdText(value)) tests.push(idTest(value, store));
  const search = searchOf("", value);
  if (search) tests.push((slot) => around.found(search)?.has(store.columns.seq[slot] ?? 0) === true);
  return anyOf(tests);
}

/**
 * A test of how the ids of a row, of its call, of its user action and of its cause begin.
 * @param {string} value
 * @param {RowStore} store
 */
function idTest(value, store) {
  const wanted = value.toLowerCase();
  /** The answers by number: 1 or 2. */
  let known = new Int8Array(store.ids.count + 64);
  /** @param {number} number */
  const has = (number) => {
    if (number === 0) return false;
    if (number >= known.length) {
      const larger = new Int8Array(number * 2);
      larger.set(known);
      known = larger;
    }
    return (known[number] ||= store.ids.text(number).toLowerCase().startsWith(wanted) ? 1 : 2) === 1;
  };
  return (/** @type {number} */ slot) => {
    const { id, call, flow, parent } = store.columns;
    return has(id[slot] ?? 0) || has(call[slot] ?? 0) || has(flow[slot] ?? 0) || has(parent[slot] ?? 0);
  };
}

/** @param {import("./filter-fields.js").Range | null} range @param {(slot: number) => number | undefined} of @returns {SlotTest} */
function within(range, of) {
  const { least, most } = range ?? { least: Infinity, most: -Infinity };
  return (slot) => {
    const value = of(slot) ?? Number.NaN;
    return value >= least && value <= most;
  };
}

/** @param {string} value @param {RowStore} store @returns {SlotTest} */
function statusTest(value, store) {
  const status = statusOf(value);
  if (status === "pending") return kindTest("pending", store);
  if (status === "err") return (slot) => store.columns.state[slot] === 3 && (store.columns.status[slot] ?? 0) < 400;
  return within(status, (slot) => store.columns.status[slot] || Number.NaN);
}

/** @param {string} kind @param {RowStore} store @returns {SlotTest} */
function kindTest(kind, store) {
  /** @param {number} bit @returns {SlotTest} */
  const marked = (bit) => (slot) => ((store.columns.flags[slot] ?? 0) & bit) !== 0;
  /** @type {Record<string, SlotTest>} */
  const tests = {
    pending: (slot) => (store.columns.state[slot] ?? 0) < 2,
    failed: (slot) => (store.columns.state[slot] ?? 0) > 2 || (store.columns.status[slot] ?? 0) >= 400,
    retried: (slot) => (store.columns.attempt[slot] ?? 1) > 1,
    faulted: (slot) => store.columns.source[slot] === 2 || (store.columns.fault[slot] ?? 0) > 0,
    cached: (slot) => store.columns.source[slot] === 1,
    replayed: (slot) => store.columns.source[slot] === 3,
    pinned: marked(flag.pinned),
    redacted: marked(flag.redacted),
  };
  return tests[kind] ?? (() => false);
}

/** @param {string} part @param {RowStore} store @returns {SlotTest} */
function partTest(part, store) {
  if (part === "error") return (slot) => (store.columns.error[slot] ?? 0) > 0;
  if (part === "parent") return (slot) => (store.columns.parent[slot] ?? 0) > 0;
  return (slot) => (store.columns.requestBytes[slot] || 0) > 0 || (store.columns.responseBytes[slot] || 0) > 0;
}
