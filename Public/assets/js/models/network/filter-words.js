// @ts-check
import { choices, kindOf, parts } from "./filter-fields.js";

/**
 * @typedef {import("./filter-syntax.js").Expression} Expression
 * @typedef {(key: string, parameters?: Record<string, string | number>) => string} Translate
 */

/**
 * A filter's meaning, as a sentence of the page's language.
 * @param {Expression} expression
 * @param {Translate} t
 * @param {(instant: string) => string} clock a time of day
 * @returns {string}
 */
export function filterSentence(expression, t, clock) {
  const text = phrase(expression, t, clock, true);
  return text && t("say.rows", { what: text });
}

/**
 * The meaning of one part of a filter.
 * @param {Expression} expression
 * @param {Translate} t
 * @param {(instant: string) => string} clock
 * @param {boolean} isOutermost
 * @returns {string}
 */
export function phrase(expression, t, clock, isOutermost = false) {
  if (expression.type === "not") return t("say.not", { what: phrase(expression.item, t, clock) });
  if (expression.type === "term") return term(expression, t, clock);
  const items = expression.items.map((item) => phrase(item, t, clock)).filter(Boolean);
  const joined = items.reduce((left, right) => (left ? t(`say.${expression.type}`, { left, right }) : right), "");
  return items.length > 1 && !isOutermost ? t("say.group", { what: joined }) : joined;
}

/** @param {import("./filter-syntax.js").Term} term @param {Translate} t @param {(instant: string) => string} clock */
function term({ field, value }, t, clock) {
  /** @param {string[]} items */
  const either = (items) => items.reduce((left, right) => (left ? t("say.or", { left, right }) : right), "");
  switch (field) {
    case "":
      return t("say.text", { value });
    case "is":
      return either(choices(value).map((one) => t(`say.is.${kindOf(one)}`)));
    case "has":
      return either(
        choices(value).filter((one) => parts.includes(one.toLowerCase())).map((one) =>
          t(`say.has.${one.toLowerCase()}`)
        ),
      );
    case "drift":
      return either(choices(value).map((one) => t(`say.drift.${one.toLowerCase()}`)));
    case "dur":
    case "size": {
      const match = /^(>=|<=|>|<|=)?(.*)$/.exec(value);
      return t(`say.${field}.${sign[match?.[1] ?? ""] ?? "is"}`, { value: match?.[2] ?? value });
    }
    case "status":
      return either(
        choices(value).map((one) => {
          if (/^err(or)?$/i.test(one)) return t("say.status.err");
          if (/^pending$/i.test(one)) return t("say.is.pending");
          const match = /^(>=|<=|>|<|=)?(.*)$/.exec(one);
          return t(`say.status.${sign[match?.[1] ?? ""] ?? "is"}`, { value: match?.[2] ?? one });
        }),
      );
    case "between": {
      const [from = "", to = ""] = value.split("..");
      return t("say.between", { from: clock(from), to: clock(to) });
    }
    case "header":
      return t("say.header", { value });
    case "method":
      return t("say.method", { value: either(choices(value.toUpperCase())) });
    default:
      return t(`say.${field}`, { value: either(choices(value)) });
  }
}

/** @type {Record<string, string>} */
const sign = { ">=": "least", "<=": "most", ">": "over", "<": "under", "=": "is", "": "is" };
