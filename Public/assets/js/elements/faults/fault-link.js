// @ts-check
import { call } from "../../api.js";
import { h } from "../../helpers/dom.js";
import { t } from "../../helpers/i18n.js";
import { recording } from "../../helpers/log-source.js";
import { loadWords } from "../../page.js";
import { openFaults } from "./dialogs.js";
import { faultName, faultSentence } from "./fault-words.js";

/** @typedef {import("../../models/faults/faults.js").Fault} Fault */

/** The sentences about a rule: with its name, before that is known, and if the rule was removed. */
const answered = {
  known: "detail.answered_by",
  unknown: "detail.answered_by_rule",
  removed: "detail.answered_by_removed",
};
const changed = {
  known: "detail.changed_by",
  unknown: "detail.changed_by_rule",
  removed: "detail.changed_by_removed",
};

/**
 * Says which rule answered or changed a row, and leads to it; a recording only has its name.
 * @param {{fault_id?: string, source?: string, status?: number}} row
 */
export function faultLink({ fault_id: id, source, status }) {
  const keys = source === "fault" && status !== undefined ? answered : changed;
  const line = h("p", { class: "fault-link", dir: "auto" });
  if (!id) return line;
  const link = recording === null
    ? h("button", { type: "button", class: "link", "data-fault-link": id }, t(keys.unknown))
    : h("span", { "data-fault-link": id }, t(keys.unknown));
  if (recording === null) link.addEventListener("click", () => void openFaults(id));
  line.append(link);
  void named(id).then((fault) => {
    if (fault) {
      link.textContent = t(keys.known, { name: faultName(fault) });
      // What the rule of a recording was, nothing else says.
      if (recording !== null) line.append(h("span", { class: "muted" }, ` ${faultSentence(fault)}`));
    }
    if (fault === null) line.replaceChildren(t(keys.removed));
  });
  return line;
}

/**
 * The rule with this id; null if it was removed, undefined if that is not known.
 * @param {string} id
 * @returns {Promise<Fault | null | undefined>}
 */
async function named(id) {
  try {
    const path = recording === null ? "/api/faults" : `/api/recordings/${encodeURIComponent(recording)}/faults`;
    const [{ faults }] = await Promise.all([call("GET", path), loadWords("faults")]);
    return faults.find((/** @type {Fault} */ one) => one.id === id) ?? null;
  } catch {
    return undefined;
  }
}
