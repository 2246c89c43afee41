// @ts-check
import { h } from "../../helpers/dom.js";
import { hiddenText } from "../common/why-hidden.js";
import { lacks } from "../../models/shell/console-state.js";

/**
 * The parts of Settings that need calls which a backend file may lack: what is hidden, and what the hint follows.
 * @type {[import("../../models/shell/missing-calls.js").Feature, string, string][]}
 */
const parts = [
  ["refresh", "#refresh-session", "#session-buttons"],
  ["account", "#account-facts", "#account-facts"],
  ["profiles", "#language-card > :not(header, .hint)", "#language-card > header"],
];

/**
 * Hides the parts without calls at the backend, each with a hint that gives the reason, and shows the parts that have calls
 * again.
 * @param {HTMLElement} root
 * @param {import("../../models/shell/console-state.js").ConsoleState} state
 */
export async function showHidden(root, state) {
  for (const [feature, hidden, place] of parts) {
    const isLacking = lacks(state, feature);
    for (const one of root.querySelectorAll(hidden)) {
      // The account from a login stays.
      const isKept = feature === "account" && one.childElementCount > 0;
      one.toggleAttribute("hidden", isLacking && !isKept);
    }
    const text = isLacking ? await hiddenText(feature) : "";
    const id = `no-${feature}`;
    const hint = root.querySelector(`#${id}`) ?? h("p", { class: "hint", id });
    if (!hint.isConnected) root.querySelector(place)?.after(hint);
    hint.textContent = text;
    hint.toggleAttribute("hidden", !isLacking);
  }
}
