// @ts-check
// Times, sizes and durations in the language of the page.
import { dated, formatter, t } from "./i18n.js";

/** A time of day to the millisecond. @param {string | number | undefined | null} when */
export const preciseTime = (when) =>
  dated(when, "precise", {
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    fractionalSecondDigits: 3,
    hourCycle: "h23",
  });

/** A date with its time to the second. @param {string | number | undefined | null} when */
export const dateTime = (when) =>
  dated(when, "full", {
    year: "numeric",
    month: "short",
    day: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
  });

/** A number of bytes with a unit. @param {number | undefined | null} count */
export function byteSize(count) {
  if (typeof count !== "number" || !Number.isFinite(count)) return "–";
  const [value, key] = count < 1000
    ? [count, "unit.b"]
    : count < 1e6
    ? [count / 1e3, "unit.kb"]
    : [count / 1e6, "unit.mb"];
  const digits = key === "unit.b" || value >= 100 ? 0 : 1;
  const shown = formatter(`size${digits}`, (locale) => new Intl.NumberFormat(locale, { maximumFractionDigits: digits }))
    .format(value);
  return t(key, { value: shown });
}

/** A duration in milliseconds, in seconds from ten seconds on. @param {number | undefined | null} duration milliseconds */
export function milliseconds(duration) {
  if (typeof duration !== "number" || !Number.isFinite(duration)) return "–";
  const [value, key, digits] = duration < 10_000
    ? [duration, "unit.ms", duration < 10 ? 1 : 0]
    : [duration / 1000, "unit.s", 1];
  const shown = formatter(`time${digits}`, (locale) => new Intl.NumberFormat(locale, { maximumFractionDigits: digits }))
    .format(value);
  return t(key, { value: shown });
}
