// @ts-check
import { fields, isValue } from "./filter-fields.js";

/**
 * A filter as a tree. `at` and `end` count characters of the text from 0.
 * @typedef {{type: "term", field: string, value: string, at: number, end: number}} Term
 * @typedef {{type: "not", item: Expression, at: number, end: number}} Not
 * @typedef {{type: "and" | "or", items: Expression[], at: number, end: number}} Group
 * @typedef {Term | Not | Group} Expression
 * Why a part is invalid: `key` names the sentence of the catalogue, `hint` what was probably meant.
 * @typedef {{at: number, end: number, term: string, key: string, hint?: string}} FilterProblem
 * @typedef {{expression: Group, problems: FilterProblem[]}} ParsedFilter
 * @typedef {{type: "open" | "close" | "or" | "not" | "word", at: number, end: number,
 *   text: string, colon: number, isWhole: boolean}} Token
 */

/** How deep parentheses may be nested. */
const deepest = 50;
const marks = /** @type {const} */ ({ "(": "open", ")": "close", "|": "or" });

/**
 * The tokens of a filter. A word ends at a space, a parenthesis or a bar outside quotation marks; its `text` is without them.
 * @param {string} source
 * @returns {Token[]}
 */
export function tokens(source) {
  /** @type {Token[]} */
  const found = [];
  let at = 0;
  while (at < source.length) {
    const character = source[at] ?? "";
    const mark = Object.hasOwn(marks, character) ? marks[/** @type {keyof typeof marks} */ (character)] : undefined;
    if (/\s/.test(character)) at += 1;
    else if (mark) found.push({ type: mark, at, end: at += 1, text: character, colon: -1, isWhole: true });
    else if ((character === "-" || character === "!") && /[^\s|)]/.test(source[at + 1] ?? " ")) {
      found.push({ type: "not", at, end: at += 1, text: character, colon: -1, isWhole: true });
    } else {
      const word = readWord(source, at);
      found.push(word);
      at = word.end;
    }
  }
  return found;
}

/** @param {string} source @param {number} start @returns {Token} */
function readWord(source, start) {
  let [at, text, colon, isQuoted] = [start, "", -1, false];
  for (; at < source.length; at += 1) {
    const character = source[at] ?? "";
    if (isQuoted && character === "\\" && at + 1 < source.length) {
      at += 1;
      text += source[at] ?? "";
    } else if (character === '"') isQuoted = !isQuoted;
    else if (!isQuoted && /[\s()|]/.test(character)) break;
    else {
      if (!isQuoted && character === ":" && colon < 0) colon = text.length;
      text += character;
    }
  }
  return { type: "word", at: start, end: at, text, colon, isWhole: !isQuoted };
}

/**
 * Reads a filter: terms separated by spaces must all match, `|` separates alternatives, `-` or `!` negates, parentheses
 * group. An invalid part is listed in `problems` and left out.
 * @param {string} source
 * @returns {ParsedFilter}
 */
export function parseFilter(source) {
  const list = tokens(source);
  /** @type {FilterProblem[]} */
  const problems = [];
  let place = 0;
  /** @param {Token} token @param {string} key @param {string} [hint] */
  const fail = (token, key, hint) => {
    problems.push({
      at: token.at,
      end: token.end,
      term: source.slice(token.at, token.end),
      key,
      ...(hint ? { hint } : {}),
    });
  };

  /** @param {number} depth @returns {Group} */
  function alternatives(depth) {
    const begin = list[place]?.at ?? source.length;
    /** @type {Group[]} */
    const items = [];
    for (;;) {
      const known = problems.length;
      const group = all(depth);
      const bar = list[place]?.type === "or" ? list[place] : undefined;
      if (group.items.length) items.push(group);
      else if (bar || list[place - 1]?.type === "or") {
        const named = bar ?? list[place - 1];
        if (named && problems.length === known) fail(named, "filter.empty_side");
      }
      if (!bar) break;
      place += 1;
    }
    const [only] = items;
    const end = list[place - 1]?.end ?? begin;
    if (items.length === 1 && only) return only;
    return { type: "or", items, at: begin, end };
  }

  /** @param {number} depth @returns {Group} */
  function all(depth) {
    const begin = list[place]?.at ?? source.length;
    /** @type {Expression[]} */
    const items = [];
    while (place < list.length) {
      const token = list[place];
      if (!token || token.type === "or" || (token.type === "close" && depth > 0)) break;
      const item = one(depth);
      if (item) items.push(item);
    }
    return { type: "and", items, at: begin, end: list[place - 1]?.end ?? begin };
  }

  /** @param {number} depth @returns {Expression | null} */
  function one(depth) {
    const token = list[place];
    if (!token) return null;
    place += 1;
    if (token.type === "close") fail(token, "filter.no_open");
    else if (token.type === "not") {
      const next = list[place];
      if (!next || next.type === "or" || next.type === "close" || depth >= deepest) {
        fail(token, "filter.no_value");
        return null;
      }
      const item = one(depth + 1);
      return item && { type: "not", item, at: token.at, end: item.end };
    } else if (token.type === "open") return grouped(token, depth);
    else if (token.type === "word") return term(token);
    return null;
  }

  /** @param {Token} open @param {number} depth @returns {Expression | null} */
  function grouped(open, depth) {
    if (depth >= deepest) {
      fail(open, "filter.too_deep");
      return null;
    }
    const known = problems.length;
    const inner = alternatives(depth + 1);
    const close = list[place];
    if (close?.type === "close") place += 1;
    else fail(open, "filter.no_close");
    if (!inner.items.length) {
      if (close && problems.length === known) fail({ ...open, end: close.end }, "filter.empty_group");
      return null;
    }
    return { ...inner, at: open.at, end: close?.end ?? inner.end };
  }

  /** @param {Token} token @returns {Term | null} */
  function term(token) {
    const { at, end, text, colon } = token;
    if (!token.isWhole) fail(token, "filter.open_quote");
    else if (colon < 0 || /^https?:/i.test(text)) {
      if (text) return { type: "term", field: "", value: text, at, end };
      fail(token, "filter.no_value");
    } else {
      const [field, value] = [text.slice(0, colon).toLowerCase(), text.slice(colon + 1)];
      if (!fields.includes(field)) fail(token, "filter.unknown_field", nearest(field));
      else if (!value) fail(token, "filter.no_value", field);
      else if (!isValue(field, value)) fail(token, "filter.bad_value", field);
      else return { type: "term", field, value, at, end };
    }
    return null;
  }

  const whole = alternatives(0);
  return { expression: whole, problems: problems.toSorted((left, right) => left.at - right.at) };
}

/** The field that a name was probably meant to be, or undefined if none is similar. @param {string} name */
function nearest(name) {
  const ranked = fields.map((field) => ({ field, far: distance(name.slice(0, 20), field) })).toSorted((a, b) =>
    a.far - b.far
  );
  return ranked[0] && ranked[0].far <= 2 ? ranked[0].field : undefined;
}

/** How many letters must be changed, added or taken away (Levenshtein). @param {string} one @param {string} other */
function distance(one, other) {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const change = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}

/** A value as a filter writes it, quoted if necessary. @param {string} value */
export const quoted = (value) =>
  /[\s()|"]/.test(value) || value === "" ? `"${value.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"` : value;

/** Whether a filter selects the console's own requests, which have their own log. @param {Expression} expression */
export const namesTool = (expression) =>
  expression.type === "and" &&
  expression.items.some((item) => item.type === "term" && item.field === "source" && item.value.toLowerCase() === "tool");

/** The terms of a field anywhere in a filter. @param {Expression} expression @param {string} field @returns {Term[]} */
export function termsOf(expression, field) {
  if (expression.type === "term") return expression.field === field ? [expression] : [];
  if (expression.type === "not") return termsOf(expression.item, field);
  return expression.items.flatMap((item) => termsOf(item, field));
}
