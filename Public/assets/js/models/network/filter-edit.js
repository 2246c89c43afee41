// @ts-check
import { parseFilter, quoted } from "./filter-syntax.js";

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
export function withTerm(text, term) {
  if (hasTerm(text, term)) return text;
  const before = text.trim();
  if (!before) return term;
  return `${partsOf(text) ? before : `(${before})`} ${term}`;
}

/** A filter with a term added, or removed if it has it. @param {string} text @param {string} term */
export const toggleTerm = (text, term) => (hasTerm(text, term) ? withoutTerm(text, term) : withTerm(text, term));

/** A filter that demands a term and no longer its opposite. @param {string} text @param {string} term */
export const chooseTerm = (text, term) =>
  withTerm(withoutTerm(text, term.startsWith("-") ? term.slice(1) : `-${term}`), term);

/** The term for a value of a field, which must match as a whole. @param {string} field @param {string} value */
export const termFor = (field, value) => `${field}:${quoted(value)}`;
