// @ts-check
import { call } from "../../api.js";
import { covered } from "../../helpers/covered.js";
import { h } from "../../helpers/dom.js";
import { faultName, t } from "../../helpers/i18n.js";
import { recording } from "../../helpers/log-source.js";
import { faultKey } from "../../models/network/row-fault.js";
import { loadWords } from "../../page.js";
import { openFaults } from "./dialogs.js";
import { faultSentence } from "./fault-words.js";

/**
 * Shows which rule acted on a row and its effect, with a link to the rule, or with the recorded rule.
 * @param {import("../../models/network/row-fault.js").Faulted} row
 */
export function faultLink(row) {
  const { fault_id: id } = row;
  const line = h("p", { class: "fault-link", dir: "auto" });
  const isLive = recording === null && id !== undefined;
  const said = h(isLive ? "button" : "span", isLive ? { type: "button", class: "link" } : {});
  said.dataset.faultLink = id ?? "";
  if (isLive) said.addEventListener("click", () => void openFaults(id));
  const say = () => {
    said.replaceChildren(...covered(t(faultKey(row), { name: row.fault ? faultName(row.fault) : "" })));
  };
  say();
  line.append(said);
  // A preset has its name in the page's language.
  void loadWords("faults").then(say, () => {});
  if (recording !== null && id !== undefined) void describe(id, line);
  return line;
}

/** Adds the recorded rule with this id. @param {string} id @param {HTMLElement} line */
async function describe(id, line) {
  try {
    const path = `/api/recordings/${encodeURIComponent(recording ?? "")}/faults`;
    const [{ faults }] = await Promise.all([call("GET", path), loadWords("faults")]);
    const rule = faults.find((/** @type {import("../../models/faults/faults.js").Fault} */ one) => one.id === id);
    if (rule) line.append(h("span", { class: "muted" }, ` ${faultSentence(rule)}`));
  } catch {
    // The row itself names the rule.
  }
}
