// @ts-check
import { parseFilter, quoted, tokens } from "./filter-syntax.js";

/** The source of each part that all rows must satisfy; null if the filter is a choice between alternatives. @param {string} text */
function partsOf(text) {
  const { expression } = parseFilter(text);
  return expression.type === "or" ? null : expression.items;
}

/** Whether a term is one of the parts that all rows must satisfy. @param {string} text @param {string} term */
export const hasTerm = (text, term) =>
  partsOf(text)?.some((part) => text.slice(part.at, part.end).toLowerCase() === term.toLowerCase()) ?? false;

/** A filter without a term. @param {string} text @param {string} term */
export function withoutTerm(text, term) {
  const part = partsOf(text)?.find((one) => text.slice(one.at, one.end).toLowerCase() === term.toLowerCase());
  return part ? `${text.slice(0, part.at).trimEnd()} ${text.slice(part.end).trimStart()}`.trim() : text;
}

/** A filter that demands a term too. @param {string} text @param {string} term */
function withTerm(text, term) {
  if (hasTerm(text, term)) return text;
  const before = text.trim();
  if (!before) return term;
  const { problems } = parseFilter(before);
  const hasChoice = tokens(before).some(({ type }) => type === "or");
  if (!problems.length) return `${hasChoice && !partsOf(before) ? `(${before})` : before} ${term}`;
  // After an error, an open quotation mark or parenthesis would include the term.
  if (!hasChoice) return `${term} ${before}`;
  return `${term} (${before}${problems.some(({ key }) => key === "filter.open_quote") ? "" : ")"}`;
}

/** A filter with its span of time replaced by another, or taken away. @param {string} text @param {string} term */
export function withBetween(text, term) {
  let rest = text;
  for (;;) {
    const list = tokens(rest);
    const place = list.findIndex(({ text: word, colon, isWhole }, index) =>
      isWhole && colon === 7 && /^between:/i.test(word) && list[index - 1]?.type !== "not"
    );
    if (place < 0) break;
    const [at, end] = partWith(list, place);
    const [before, behind] = [rest.slice(0, at).trimEnd(), rest.slice(end).trimStart()];
    rest = `${before}${before.endsWith("(") || behind.startsWith(")") ? "" : " "}${behind}`;
  }
  return term ? withTerm(rest.trim(), term) : rest.trim();
}

/**
 * Where a word begins and ends, with the parentheses and the bar that would be left with nothing.
 * @param {import("./filter-syntax.js").Token[]} list
 * @param {number} place of the word
 */
function partWith(list, place) {
  let [first, last] = [place, place];
  const kind = (/** @type {number} */ index) => list[index]?.type ?? "edge";
  while (kind(first - 1) === "not" || (kind(first - 1) === "open" && kind(last + 1) === "close")) {
    if (kind(first - 1) === "open") last += 1;
    first -= 1;
  }
  const isAlone = ["edge", "open", "or"].includes(kind(first - 1)) && ["edge", "close", "or"].includes(kind(last + 1));
  if (isAlone && kind(last + 1) === "or") last += 1;
  else if (isAlone && kind(first - 1) === "or") first -= 1;
  return [list[first]?.at ?? 0, list[last]?.end ?? 0];
}

/** A filter with a term added, or removed if it has it. @param {string} text @param {string} term */
export const toggleTerm = (text, term) => (hasTerm(text, term) ? withoutTerm(text, term) : withTerm(text, term));

/** A filter that demands a term and no longer its opposite. @param {string} text @param {string} term */
export const chooseTerm = (text, term) =>
  withTerm(withoutTerm(text, term.startsWith("-") ? term.slice(1) : `-${term}`), term);

/** The term for a value of a field, which must match as a whole. @param {string} field @param {string} value */
export const termFor = (field, value) => `${field}:${quoted(value)}`;
