// @ts-check The differences between two JSON texts by their structure: members by their names in any order, elements by their
// values.

/**
 * A value at its RFC 6901 pointer on each side; a side that lacks it has null. Both sides are JSON texts.
 * @typedef {{kind: "same" | "changed" | "added" | "removed" | "moved", pointer: string | null, otherPointer: string | null,
 *   one: string | null, other: string | null}} Step
 */

/** The most values that are listed. */
const mostSteps = 5000;
/** The most pairs of elements that are tried; longer arrays are compared by their places. */
const mostPairs = 250_000;

/** A number as it is written, so that 64-bit ids stay exact. */
class Numeral {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
  }
}

/** @typedef {(this: unknown, key: string, value: unknown, context?: {source?: string}) => unknown} Reviver */

/** The value of a JSON text; throws for any other. @param {string} text @returns {unknown} */
export function parsed(text) {
  /** @type {Reviver} */
  const exact = (_, value, context) => typeof value === "number" ? new Numeral(context?.source ?? String(value)) : value;
  return JSON.parse(text, /** @type {(key: string, value: unknown) => unknown} */ (exact));
}

/** @param {unknown} value @returns {value is Record<string, unknown>} */
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Numeral);

/** @param {unknown} value */
const isScalar = (value) => !isObject(value) && !Array.isArray(value);

/** A name within a pointer. @param {string | number} name */
const escaped = (name) => String(name).replaceAll("~", "~0").replaceAll("/", "~1");

/** Walks two values once. */
class JSONDiff {
  /** @type {Step[]} */
  steps = [];
  /** @type {Map<unknown, string>} */
  #texts = new Map();
  #listsSame;

  /** @param {boolean} listsSame */
  constructor(listsSame) {
    this.#listsSame = listsSame;
  }

  /** A value as text, equal for equal values: its members by name. @param {unknown} value @returns {string} */
  text(value) {
    if (value instanceof Numeral) return value.text;
    if (isScalar(value)) return JSON.stringify(value);
    const known = this.#texts.get(value);
    if (known !== undefined) return known;
    const text = Array.isArray(value)
      ? `[${value.map((item) => this.text(item)).join(",")}]`
      : `{${
        Object.entries(/** @type {object} */ (value)).toSorted(([one], [other]) => one < other ? -1 : one > other ? 1 : 0)
          .map(([name, item]) => `${JSON.stringify(name)}:${this.text(item)}`).join(",")
      }}`;
    this.#texts.set(value, text);
    return text;
  }

  /**
   * @param {Step["kind"]} kind
   * @param {string | null} pointer
   * @param {string | null} otherPointer
   * @param {unknown} one
   * @param {unknown} other
   */
  #step(kind, pointer, otherPointer, one, other) {
    if (this.steps.length >= mostSteps) return;
    this.steps.push({
      kind,
      pointer,
      otherPointer,
      one: pointer === null ? null : this.text(one),
      other: otherPointer === null ? null : this.text(other),
    });
  }

  /** @param {unknown} one @param {unknown} other @param {string} at @param {string} otherAt */
  compare(one, other, at, otherAt) {
    const isSame = this.text(one) === this.text(other);
    if (isSame && !this.#listsSame) return;
    if (isObject(one) && isObject(other)) this.#members(one, other, at, otherAt);
    else if (Array.isArray(one) && Array.isArray(other)) this.#elements(one, other, at, otherAt);
    else this.#step(isSame ? "same" : "changed", at, otherAt, one, other);
  }

  /** @param {Record<string, unknown>} one @param {Record<string, unknown>} other @param {string} at @param {string} otherAt */
  #members(one, other, at, otherAt) {
    const names = [...new Set([...Object.keys(one), ...Object.keys(other)])];
    if (!names.length) return this.#step("same", at, otherAt, one, other);
    for (const name of names) {
      const [place, otherPlace] = [`${at}/${escaped(name)}`, `${otherAt}/${escaped(name)}`];
      if (!Object.hasOwn(other, name)) this.#step("removed", place, null, one[name], null);
      else if (!Object.hasOwn(one, name)) this.#step("added", null, otherPlace, null, other[name]);
      else this.compare(one[name], other[name], place, otherPlace);
    }
  }

  /** @param {unknown[]} one @param {unknown[]} other @param {string} at @param {string} otherAt */
  #elements(one, other, at, otherAt) {
    if (!one.length && !other.length) return this.#step("same", at, otherAt, one, other);
    const { pairs, moved } = this.#pairs(one, other);
    const partners = new Map(pairs);
    const taken = new Set(partners.values());
    for (let place = 0; place < one.length; place += 1) {
      const partner = partners.get(place);
      if (partner === undefined) this.#step("removed", `${at}/${place}`, null, one[place], null);
      else {
        const [here, there] = [`${at}/${place}`, `${otherAt}/${partner}`];
        if (moved.has(place)) this.#step("moved", here, there, one[place], other[partner]);
        const isWhole = moved.has(place) && this.text(one[place]) === this.text(other[partner]);
        if (!isWhole) this.compare(one[place], other[partner], here, there);
      }
    }
    for (let place = 0; place < other.length; place += 1) {
      if (!taken.has(place)) this.#step("added", null, `${otherAt}/${place}`, null, other[place]);
    }
  }

  /**
   * The matching elements: those that are equal in the same order, then those that moved, then those with the same id, and then
   * those at the same place between two equal ones.
   * @param {unknown[]} one
   * @param {unknown[]} other
   */
  #pairs(one, other) {
    const [ours, theirs] = [one.map((item) => this.text(item)), other.map((item) => this.text(item))];
    const equal = commonPairs(ours, theirs);
    const partners = new Map(equal);
    const taken = new Set(partners.values());
    /** @type {Set<number>} */
    const moved = new Set();
    /** @param {(string | null)[]} keys @param {(string | null)[]} otherKeys */
    const match = (keys, otherKeys) => {
      /** @type {Map<string, number[]>} */
      const free = new Map();
      otherKeys.forEach((key, place) => {
        if (key !== null && !taken.has(place)) add(free, key, place);
      });
      keys.forEach((key, place) => {
        const partner = key === null || partners.has(place) ? undefined : free.get(key)?.shift();
        if (partner === undefined) return;
        partners.set(place, partner);
        taken.add(partner);
        const before = (/** @type {number} */ index, /** @type {0 | 1} */ side) => equal.filter((pair) => pair[side] < index).length;
        if (keys === ours || before(place, 0) !== before(partner, 1)) moved.add(place);
      });
    };
    match(ours, theirs);
    match(one.map(identity), other.map(identity));
    // A single element left between two equal ones is the same element, changed.
    const gaps = (/** @type {unknown[]} */ items, /** @type {0 | 1} */ side, /** @type {(place: number) => boolean} */ isFree) => {
      /** @type {Map<number, number[]>} */
      const found = new Map();
      let gap = 0;
      items.forEach((_, place) => {
        while (gap < equal.length && (equal[gap]?.[side] ?? 0) <= place) gap += 1;
        if (isFree(place)) add(found, gap, place);
      });
      return found;
    };
    const free = gaps(other, 1, (place) => !taken.has(place));
    for (const [gap, places] of gaps(one, 0, (place) => !partners.has(place))) {
      for (const place of places) {
        const at = (free.get(gap) ?? []).findIndex((partner) => canChange(one[place], other[partner]));
        const partner = at < 0 ? undefined : free.get(gap)?.splice(at, 1)[0];
        if (partner !== undefined) partners.set(place, partner);
      }
    }
    return { pairs: [...partners], moved };
  }
}

/** Adds a place to those of a key. @template Key @param {Map<Key, number[]>} places @param {Key} key @param {number} place */
function add(places, key, place) {
  const known = places.get(key);
  if (known) known.push(place);
  else places.set(key, [place]);
}

/** Whether an element can be another one that was changed. @param {unknown} one @param {unknown} other */
const canChange = (one, other) =>
  isScalar(one) ? isScalar(other) : isObject(one) === isObject(other) && !isScalar(other) &&
    (identity(one) === null || identity(other) === null || identity(one) === identity(other));

/** The id of an object among its like, with its name; null if it has none. @param {unknown} value */
function identity(value) {
  if (!isObject(value)) return null;
  const name = Object.keys(value).find((key) => /^(id|uuid|key|.*_id|.*Id)$/.test(key) && isScalar(value[key]) && value[key] !== null);
  return name === undefined ? null : `${name}=${value[name] instanceof Numeral ? value[name].text : String(value[name])}`;
}

/** The places of a longest common subsequence. @param {string[]} one @param {string[]} other @returns {[number, number][]} */
function commonPairs(one, other) {
  let start = 0;
  while (start < one.length && start < other.length && one[start] === other[start]) start += 1;
  let [end, otherEnd] = [one.length, other.length];
  while (end > start && otherEnd > start && one[end - 1] === other[otherEnd - 1]) [end, otherEnd] = [end - 1, otherEnd - 1];
  const [rows, width] = [end - start, otherEnd - start];
  /** @type {[number, number][]} */
  const pairs = Array.from({ length: start }, (_, place) => [place, place]);
  if (rows * width <= mostPairs) {
    const lengths = new Uint32Array((rows + 1) * (width + 1));
    const length = (/** @type {number} */ row, /** @type {number} */ column) => lengths[row * (width + 1) + column] ?? 0;
    for (let row = rows - 1; row >= 0; row -= 1) {
      for (let column = width - 1; column >= 0; column -= 1) {
        lengths[row * (width + 1) + column] = one[start + row] === other[start + column]
          ? length(row + 1, column + 1) + 1
          : Math.max(length(row + 1, column), length(row, column + 1));
      }
    }
    let [row, column] = [0, 0];
    while (row < rows && column < width) {
      if (one[start + row] === other[start + column]) {
        pairs.push([start + row, start + column]);
        [row, column] = [row + 1, column + 1];
      } else if (length(row + 1, column) >= length(row, column + 1)) row += 1;
      else column += 1;
    }
  }
  for (let place = 0; end + place < one.length; place += 1) pairs.push([end + place, otherEnd + place]);
  return pairs;
}

/**
 * The differences between two parsed values, in the order of the first; with `listsSame`, the values that are equal too.
 * @param {unknown} one
 * @param {unknown} other
 * @param {boolean} [listsSame]
 */
export function jsonSteps(one, other, listsSame = false) {
  const diff = new JSONDiff(listsSame);
  diff.compare(one, other, "", "");
  return diff.steps;
}
