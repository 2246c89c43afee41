// @ts-check The lines of a fault about the client's promises.
import { h } from "../../helpers/dom.js";
import { t } from "../../helpers/i18n.js";
import { promisesOf } from "../../models/faults/fault-promises.js";
import { loadExplanation, sentence } from "../common/explained.js";

/** @typedef {import("../../models/explain/explanation.js").ClientPromise} ClientPromise */

/** Asks the console for the promises of the device's client, and loads their words. @returns {Promise<ClientPromise[]>} */
export const loadPromises = async () => (await loadExplanation(null)).promises ?? [];

/**
 * Shows the client's behavior after a fault acted, below the fault.
 * @param {Element | null} line @param {string[]} ids of the fault's rules @param {ClientPromise[]} promises
 */
export function showPromises(line, ids, promises) {
  const list = line?.querySelector(":scope > .fault-promises");
  if (!(list instanceof HTMLElement)) return;
  const wanted = promisesOf(promises, ids);
  const key = JSON.stringify(wanted);
  if (list.dataset.shown === key) return;
  list.dataset.shown = key;
  fill(list, wanted);
}

/** Shows the client's behavior around a row. @param {HTMLElement} list @param {number} row its number in the log */
export async function showRowPromises(list, row) {
  fill(list, (await loadPromises()).filter(({ rows }) => rows.includes(row)));
}

/** @param {HTMLElement} list @param {ClientPromise[]} promises */
function fill(list, promises) {
  list.hidden = promises.length === 0;
  if (promises.length) list.setAttribute("aria-label", t("explain.client"));
  list.replaceChildren(...promises.map(item));
}

/** @param {ClientPromise} promise */
const item = (promise) =>
  h(
    "li",
    { class: promise.kept ? "tone-ok" : "tone-bad", "data-promise": promise.kind },
    ...sentence(promise, null),
    " ",
    h("span", { "aria-hidden": "true" }, promise.kept ? "✓" : "✗"),
    h("span", { class: "visually-hidden" }, `(${t(promise.kept ? "explain.kept" : "explain.broken")})`),
  );
