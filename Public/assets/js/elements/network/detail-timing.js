// @ts-check
import { h } from "../../helpers/dom.js";
import { table } from "../../helpers/table.js";
import { currentWords, t } from "../../helpers/i18n.js";
import { phasesOf } from "../../models/network/phases.js";

/**
 * The phases of an attempt as a table with bars on one scale; they add up to the total.
 * @param {Record<string, number | undefined>} timings
 * @returns {Node[]}
 */
export function timing(timings) {
  const { phases, total, digits, isReused } = phasesOf(timings);
  if (!phases.length && total === null) return [h("p", { class: "muted" }, t("detail.no_timing"))];
  const numbers = new Intl.NumberFormat(currentWords().locale, {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  /** @param {number | null} value */
  const shown = (value) => (value === null ? "–" : t("unit.ms", { value: numbers.format(value) }));
  const rows = phases.map(({ name, duration, start, share }) => {
    const bar = h("span", { class: "timing-bar", "data-phase": name });
    bar.style.marginInlineStart = `${start}%`;
    bar.style.inlineSize = `${share}%`;
    return [
      h("th", { scope: "row" }, t(name === "other" ? "detail.other_time" : `timing.${name}`)),
      h("td", { class: "nums" }, shown(duration)),
      h("td", { class: "timing-lane", dir: "ltr" }, bar),
    ];
  });
  return [
    ...(isReused ? [h("p", { class: "muted" }, t("detail.reused"))] : []),
    table(
      "timing small",
      t("timing.caption"),
      [],
      rows,
      h("tfoot", {}, h("tr", {}, h("th", { scope: "row" }, t("timing.total")), h("td", { class: "nums" }, shown(total)), h("td"))),
    ),
  ];
}
