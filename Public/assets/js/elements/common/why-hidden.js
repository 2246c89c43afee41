// @ts-check
import { h, icon } from "../../helpers/dom.js";
import { t } from "../../helpers/i18n.js";
import { whyHidden } from "../../models/shell/missing-calls.js";
import { loadWords } from "../../page.js";

/** @typedef {import("../../models/shell/missing-calls.js").Feature} Feature */

/** Why a part of the pages is hidden, in the page's language. @param {Feature} feature @returns {Promise<string>} */
export async function hiddenText(feature) {
  await loadWords("offer");
  const { key, parameters } = whyHidden(feature);
  return t(key, parameters);
}

/** The replacement of a page whose calls the backend lacks. @param {Feature} feature */
export const hiddenPanel = async (feature) =>
  h("div", { class: "blank" }, icon("alert", 24), h("p", { class: "title", id: "why-hidden" }, await hiddenText(feature)));
