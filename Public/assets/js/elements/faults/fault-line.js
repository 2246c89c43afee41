// @ts-check
import { h, icon, plainButton } from "../../helpers/dom.js";
import { covered } from "../../helpers/covered.js";
import { faultName, remaining, t } from "../../helpers/i18n.js";
import { secondsLeft } from "../../models/faults/faults.js";
import { faultSentence } from "./fault-words.js";

/**
 * @typedef {import("../../models/faults/faults.js").Fault} Fault
 * @typedef {import("../../models/faults/fault-groups.js").FaultGroup} FaultGroup
 * @typedef {{change(group: FaultGroup, armed: boolean): void, move(at: number, step: -1 | 1): void, edit(fault: Fault): void,
 *   remove(group: FaultGroup): void}} Deeds
 */

/**
 * A fault of the list: a switch, its name and its effect; the rules of a preset are folded.
 * @param {FaultGroup} group
 * @param {number} at its place @param {number} count how many there are
 * @param {Deeds} deeds
 */
export function faultLine(group, at, count, deeds) {
  const [first] = group.rules;
  if (!first) return h("li");
  const isOne = group.rules.length === 1;
  const name = faultName(first);
  const id = isOne ? first.id : group.key;
  const toggle = h("input", {
    type: "checkbox",
    class: "switch",
    role: "switch",
    id: `switch-${id}`,
    checked: group.state === "armed",
    "aria-label": name,
  });
  toggle.addEventListener("change", () => deeds.change(group, toggle.checked));
  return h(
    "li",
    isOne ? { "data-fault": id } : { "data-faults": id },
    h(
      "div",
      { class: "row nowrap" },
      toggle,
      h("bdi", { class: "grow fault-name" }, ...covered(name)),
      ...(count > 1
        ? [
          press("up", "↑", id, name, () => deeds.move(at, -1), at === 0),
          press("down", "↓", id, name, () => deeds.move(at, 1), at === count - 1),
        ]
        : []),
      isOne ? press("edit", icon("edit", 14), id, name, () => deeds.edit(first)) : null,
      press("remove", icon("close", 14), id, name, () => deeds.remove(group)),
    ),
    isOne ? h("p", { class: "small", dir: "auto" }, ...covered(faultSentence(first))) : null,
    facts(),
    h("ul", { class: "fault-promises small", hidden: true }),
    isOne ? null : parts(group, name, deeds),
  );
}

/** Where the state, the hits and the time left are shown. */
const facts = () => h("p", { class: "row small muted nums" }, h("span", { class: "badge" }), h("span"), h("span"));

/** @param {FaultGroup} group @param {string} name @param {Deeds} deeds */
const parts = ({ rules }, name, deeds) =>
  h(
    "details",
    {},
    h("summary", { class: "small" }, t("fault.parts", { n: rules.length })),
    h(
      "ol",
      {},
      ...rules.map((rule) =>
        h(
          "li",
          { "data-fault": rule.id },
          h(
            "div",
            { class: "row nowrap" },
            h("p", { class: "small grow", dir: "auto" }, ...covered(faultSentence(rule))),
            press("edit", icon("edit", 14), rule.id, `${name}: ${faultSentence(rule)}`, () => deeds.edit(rule)),
          ),
          facts(),
        )
      ),
    ),
  );

/**
 * @param {string} action @param {string | Node} glyph @param {string} id @param {string} name @param {() => void} act
 * @param {boolean} [off]
 */
function press(action, glyph, id, name, act, off = false) {
  const label = t(`fault.${action}`, { name });
  return plainButton("button button-quiet button-small", {
    id: `${action}-${id}`,
    "aria-label": label,
    title: label,
    "aria-disabled": off ? "true" : null,
    onclick: off ? null : act,
  }, typeof glyph === "string" ? h("span", { "aria-hidden": "true" }, glyph) : glyph);
}

/**
 * Updates the countdown, the hits and the state of a line.
 * @param {Element | null} line @param {Pick<Fault, "state" | "hits" | "expires_at">} fault @param {number} now the console's clock
 */
export function showFacts(line, fault, now) {
  const place = line?.querySelector(":scope > .nums");
  const [badge, hits, end] = place?.children ?? [];
  if (!place || !badge || !hits || !end) return;
  const left = secondsLeft(fault, now);
  const state = fault.state === "armed" && left === 0 ? "expired" : fault.state;
  const texts = [
    t(`fault.state.${state}`),
    t("fault.hits", { n: fault.hits }),
    state !== "armed" ? "" : left === null ? t("fault.forever") : t("fault.left", { time: remaining(left) }),
  ];
  for (const [at, one] of [badge, hits, end].entries()) {
    if (one.textContent === texts[at]) continue;
    // A hit lights up, once the line has been there.
    if (at === 1 && one.textContent) restart(one);
    one.textContent = texts[at] ?? "";
  }
  badge.setAttribute("data-tone", state === "armed" ? "violet" : "");
  const toggle = line?.querySelector(":scope > .row > input");
  if (toggle instanceof HTMLInputElement && document.activeElement !== toggle) toggle.checked = state === "armed";
}

/** @param {Element} place */
function restart(place) {
  place.classList.remove("hit");
  void (/** @type {HTMLElement} */ (place).offsetWidth);
  place.classList.add("hit");
}
