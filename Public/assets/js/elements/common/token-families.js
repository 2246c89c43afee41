// @ts-check
// The lines of refresh tokens: when each was issued, sent, replaced, rejected or lost.
import { h, loadStyle } from "../../helpers/dom.js";
import { preciseTime, t } from "../../helpers/i18n.js";
import { recording } from "../../helpers/log-source.js";
import { usesOf, useTones } from "../../models/explain/explanation.js";
import { loadExplanation, rowAnchor } from "./explained.js";

/** The maximum number of shown uses of a family: those at its end show why it ended. */
const longest = 60;

/** Shows the families of the page's log in a card, which hides itself without any. @param {HTMLElement} card */
export async function showFamilies(card) {
  const [{ families }] = await Promise.all([loadExplanation(), loadStyle("explanation")]);
  const place = card.querySelector(".families");
  if (place) place.replaceChildren(...families.map(family));
  card.hidden = families.length === 0;
}

/** @param {import("../../models/explain/explanation.js").Explanation["families"][number]} family @param {number} index */
function family({ uses }, index) {
  return h(
    "ol",
    { class: "family", "aria-label": t("explain.family", { number: String(index + 1) }) },
    ...usesOf({ uses }).slice(-longest).map(({ row, at, what }) => {
      const [name, time] = [t(`explain.${what}`), preciseTime(at)];
      return h(
        "li",
        { "data-what": what, "data-tone": useTones[what] },
        rowAnchor(
          row,
          recording,
          { class: "family-use", "aria-label": t("explain.use", { what: name, time, row: `#${row}` }) },
          h("span", { class: "family-name" }, name),
          h("span", { class: "small muted nums" }, time),
          h("span", { class: "small nums" }, `#${row}`),
        ),
      );
    }),
  );
}
