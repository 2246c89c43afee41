// @ts-check
import { sources } from "./row-view.js";

/** The fields that a filter may name. */
export const fields = [
  "method",
  "status",
  "endpoint",
  "path",
  "host",
  "header",
  "id",
  "flow",
  "error",
  "dur",
  "size",
  "is",
  "source",
  "has",
  "drift",
  "since",
  "between",
  "body",
];

/** The values of `is:`, the older name first if there are two. */
export const kinds = ["pending", "failed", "retried", "faulted", "cached", "replayed", "pinned", "redacted"];
/** Other names of the values of `is:`. @type {Record<string, string>} */
const aliases = { fault: "faulted", replay: "replayed", cache: "cached", waiting: "pending" };
/** The values of `has:`. */
export const parts = ["body", "error", "parent"];
/** The values of `drift:`: any difference, or one with a part missing on one side. */
export const drifts = ["any", "missing"];

/** The name of a kind, null for one that is unknown. @param {string} text */
export function kindOf(text) {
  const name = text.toLowerCase();
  if (kinds.includes(name)) return name;
  return Object.hasOwn(aliases, name) ? aliases[name] ?? null : null;
}

/**
 * A range of numbers, both ends included; an end that is missing is infinite.
 * @typedef {{least: number, most: number}} Range
 */

const units = /** @type {Record<string, Record<string, number>>} */ ({
  status: { "": 1 },
  dur: { "": 1, ms: 1, s: 1000, m: 60_000 },
  size: { "": 1, b: 1, kb: 1000, k: 1000, mb: 1_000_000, m: 1_000_000 },
});

/**
 * The range of a value such as `>=500`, `>500ms`, `100kb`, `200..299`; null when it is none.
 * @param {string} field
 * @param {string} value
 * @returns {Range | null}
 */
export function rangeOf(field, value) {
  const scale = units[field] ?? { "": 1 };
  /** @param {string | undefined} digits @param {string | undefined} unit */
  const number = (digits, unit) => {
    const factor = scale[(unit ?? "").toLowerCase()];
    return factor === undefined || digits === undefined ? Number.NaN : Number(digits) * factor;
  };
  const pattern = String.raw`(\d{1,12}(?:\.\d{1,6})?)([a-z]{0,2})`;
  const between = new RegExp(`^${pattern}\\.\\.${pattern}$`, "i").exec(value);
  if (between) {
    const [least, most] = [number(between[1], between[2] || between[4]), number(between[3], between[4])];
    return least <= most ? { least, most } : null;
  }
  const match = new RegExp(`^(>=|<=|>|<|=)?${pattern}$`, "i").exec(value);
  const bound = match ? number(match[2], match[3]) : Number.NaN;
  if (!match || Number.isNaN(bound)) return null;
  if (match[1] === ">=") return { least: bound, most: Infinity };
  if (match[1] === "<=") return { least: -Infinity, most: bound };
  if (match[1] === ">") return { least: nextUp(bound), most: Infinity };
  if (match[1] === "<") return { least: -Infinity, most: -nextUp(-bound) };
  return { least: bound, most: bound };
}

/** The next larger number that is held exactly enough for bounds. @param {number} value */
const nextUp = (value) => value + Math.max(Math.abs(value) * Number.EPSILON, Number.MIN_VALUE);

/**
 * The statuses that a value names: `4xx`, a number, a range, `err` or `pending`.
 * @param {string} value
 * @returns {Range | "err" | "pending" | null}
 */
export function statusOf(value) {
  const family = /^([1-5])xx$/i.exec(value);
  if (family) return { least: Number(family[1]) * 100, most: Number(family[1]) * 100 + 99 };
  if (/^err(or)?$/i.test(value)) return "err";
  return /^pending$/i.test(value) ? "pending" : rangeOf("status", value);
}

/** Milliseconds of a span such as `5m`, `30s`, `2h`; null when it is none. @param {string} value */
export function spanOf(value) {
  const match = /^(\d{1,6})(ms|s|m|h|d)$/i.exec(value);
  const unit = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }[match?.[2]?.toLowerCase() ?? ""];
  return match && unit ? Number(match[1]) * unit : null;
}

/** The two instants of `…..…`, in milliseconds; null when they are none. @param {string} value @returns {Range | null} */
export function instantsOf(value) {
  const [from, to, rest] = value.split("..");
  const isInstant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/;
  if (!from || !to || rest !== undefined || !isInstant.test(from) || !isInstant.test(to)) return null;
  const [least, most] = [Date.parse(from), Date.parse(to)];
  return least <= most ? { least, most } : null;
}

/** The number of a source, -1 for one that is unknown. @param {string} text */
export const sourceOf = (text) => sources.findIndex((one) => one === text.toLowerCase());

/** Whether a text can be the begin of an id; a shorter one is in ids by chance. @param {string} text */
export const isIdText = (text) => /^[\da-f]{8}[\da-f-]*$/i.test(text);

/** The parts of a value with commas, without empty ones. @param {string} value */
export const choices = (value) => value.split(",").filter(Boolean);

/** Whether a field takes this value. @param {string} field @param {string} value */
export function isValue(field, value) {
  const list = choices(value);
  switch (field) {
    case "method":
      return list.length > 0 && list.every((one) => /^[a-z]{1,20}$/i.test(one));
    case "status":
      return list.length > 0 && list.every((one) => statusOf(one) !== null);
    case "dur":
    case "size":
      return rangeOf(field, value) !== null;
    case "is":
      return list.length > 0 && list.every((one) => kindOf(one) !== null);
    case "source":
      // The console's own requests are in a log of their own.
      return list.length > 0 && list.every((one) => sourceOf(one) >= 0 && (list.length === 1 || one.toLowerCase() !== "tool"));
    case "has":
      return list.length > 0 && list.every((one) => parts.includes(one.toLowerCase()));
    case "drift":
      return list.length > 0 && list.every((one) => drifts.includes(one.toLowerCase()));
    case "since":
      return spanOf(value) !== null;
    case "between":
      return instantsOf(value) !== null;
    case "body":
    case "header":
      return value.length > 0;
    default:
      return list.length > 0;
  }
}

/**
 * The pattern of a text value: `*` matches anything, and then the whole text must match; without it a part is enough.
 * @param {string} value
 */
export function textPattern(value) {
  const escaped = value.replace(/[.+?^${}()|[\]\\]/g, "\\$&");
  return value.includes("*") ? new RegExp(`^${escaped.replace(/\*+/g, ".*")}$`, "is") : new RegExp(escaped, "i");
}
