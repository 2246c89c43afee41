// @ts-check
import { h } from "../../helpers/dom.js";
import { covered } from "../../helpers/covered.js";
import { faultName, milliseconds, t } from "../../helpers/i18n.js";
import { isRefresh, logPage, outcomeOf } from "../../models/recordings/comparison.js";
import { flowName } from "../../models/network/row-view.js";

/**
 * @typedef {import("../../models/recordings/comparison.js").Line} Line
 * @typedef {import("../../models/recordings/comparison.js").Difference} Difference
 */

/** How a kind of difference is coloured. @type {Record<string, string>} */
const tones = { missing: "bad", added: "ok", outcome: "bad", attempts: "warn", shape: "warn" };

/** The most fields of a shape that are listed. */
const mostFields = 8;

/**
 * A call with its differences; pressing it opens both rows, or the only one.
 * @param {Line} line
 * @param {[string, string]} ids of the two logs
 * @param {() => void} open
 */
export function comparisonLine({ call, status, differences }, ids, open) {
  const name = [h("bdi", { class: "mono", dir: "ltr" }, `${call.method} `, ...covered(call.path))];
  const [first, second] = [call.first_row, call.second_row];
  const opener = first && second
    ? h("button", { type: "button", class: "difference-call", "aria-haspopup": "dialog", onclick: open }, ...name)
    : first || second
    ? h("a", { class: "difference-call", href: logPage(first ? ids[0] : ids[1], first ?? second) }, ...name)
    : h("span", { class: "difference-call" }, ...name);
  return h(
    "li",
    { class: "difference", "data-kinds": differences.map((one) => one.kind).join(" ") },
    h(
      "div",
      { class: "difference-head" },
      opener,
      isRefresh(call) ? h("span", { class: "badge", "data-tone": "info" }, t("comparison.refresh")) : null,
      h("span", { class: "small muted" }, status === null ? placeText(call) : t("comparison.every", { status })),
      call.flow ? h("span", { class: "small muted" }, h("bdi", {}, flowName(call.flow, t))) : null,
    ),
    h("ul", { class: "difference-what" }, ...differences.map(what)),
  );
}

/** The position of the call. @param {import("../../models/recordings/comparison.js").Call} call */
const placeText = ({ first, second }) =>
  first !== undefined && second !== undefined && first !== second
    ? t("comparison.places", { first, second })
    : t("comparison.place", { n: first ?? second ?? 0 });

/** @param {Difference} difference */
function what(difference) {
  const { kind } = difference;
  return h(
    "li",
    { "data-kind": kind },
    h("span", { class: "badge", "data-tone": tones[kind] ?? "info" }, t(`comparison.kind.${kind}`)),
    ...detail(difference),
  );
}

/** @param {Difference} difference @returns {(Node | string)[]} */
function detail({ kind, call, first = "", second = "", first_fault, second_fault, shape, timing }) {
  switch (kind) {
    case "missing":
      return [h("span", {}, t("comparison.only_first"))];
    case "added":
      return [h("span", {}, t("comparison.only_second"))];
    case "reordered":
      return [change(String(call.first ?? ""), String(call.second ?? ""))];
    case "outcome":
      return [change(outcomeText(first, first_fault), outcomeText(second, second_fault))];
    case "attempts":
      return [change(first, second)];
    case "timing":
      return [change(milliseconds(timing?.reference_median), milliseconds(timing?.median)), bars(timing)];
    default:
      return shape ? [fields(shape)] : [];
  }
}

/** From one value to another, read from the start of the line. @param {string} one @param {string} other */
const change = (one, other) =>
  h(
    "span",
    { class: "difference-change nums" },
    h("bdi", {}, one),
    h("span", { class: "difference-arrow", "aria-hidden": "true" }, "→"),
    h("span", { class: "visually-hidden" }, ` ${t("comparison.then")} `),
    h("bdi", {}, other),
  );

/** @param {string} outcome @param {import("../../models/recordings/comparison.js").RowFault} [fault] the rule that made it */
function outcomeText(outcome, fault) {
  const { status, source } = outcomeOf(outcome);
  const ended = status ?? t("comparison.no_answer");
  if (fault) return t("comparison.by_fault", { status: ended, name: faultName(fault) });
  return source ? t("comparison.from", { status: ended, source: t(`row.source.${source}`) }) : ended;
}

/** @param {Difference["timing"]} timing */
function bars(timing) {
  const [one, other] = [timing?.reference_median ?? 0, timing?.median ?? 0];
  const longest = Math.max(one, other, 1);
  return h(
    "span",
    { class: "difference-bars", "aria-hidden": "true", dir: "ltr" },
    ...[one, other].map((value) => {
      const bar = h("span");
      bar.style.inlineSize = `${(value / longest) * 100}%`;
      return bar;
    }),
  );
}

/** @param {import("../../models/recordings/comparison.js").Shape} shape */
function fields({ missing, additional, changed }) {
  const all = [
    ...missing.map((field) => t("comparison.field_missing", { field })),
    ...additional.map((field) => t("comparison.field_new", { field })),
    ...changed.map(({ place, kinds, reference_kinds: before }) =>
      t("comparison.field_changed", { field: place || "/", first: before.join(" | "), second: kinds.join(" | ") })
    ),
  ];
  const rest = all.length - mostFields;
  return h(
    "ul",
    { class: "difference-fields" },
    ...all.slice(0, mostFields).map((text) => h("li", {}, text)),
    rest > 0 ? h("li", { class: "muted" }, t("comparison.more_fields", { n: rest })) : null,
  );
}
