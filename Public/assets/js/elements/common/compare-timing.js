// @ts-check
import { h } from "../../helpers/dom.js";
import { milliseconds, t } from "../../helpers/i18n.js";
import { comparedPhases } from "../../models/network/phases.js";

/** @typedef {import("../../models/network/row-diff.js").ComparedRow} ComparedRow */

/**
 * How long two rows took, by phase, with bars on one scale; null if neither has durations.
 * @param {ComparedRow} one
 * @param {ComparedRow} other
 */
export function timingGroup(one, other) {
  const found = comparedPhases(one.timings ?? {}, other.timings ?? {});
  if (!found.length) return null;
  return h(
    "tbody",
    { class: "compare-timing" },
    h("tr", {}, h("th", { colspan: 3, scope: "rowgroup" }, t("compare.timing"))),
    ...found.map(({ name, sides }) =>
      h(
        "tr",
        { "data-phase": name },
        h("th", { scope: "row" }, t(name === "other" ? "detail.other_time" : `timing.${name}`)),
        ...sides.map((side) => cell(name, side)),
      )
    ),
  );
}

/** @param {string} name @param {{duration: number, start: number, share: number} | null} side */
function cell(name, side) {
  if (!side) return h("td", { class: "faint" }, "–");
  const bar = h("span", { class: "timing-bar", "data-phase": name });
  bar.style.marginInlineStart = `${side.start}%`;
  bar.style.inlineSize = `${side.share}%`;
  return h("td", {}, h("span", { class: "nums" }, milliseconds(side.duration)), h("span", { class: "compare-lane", dir: "ltr" }, bar));
}
