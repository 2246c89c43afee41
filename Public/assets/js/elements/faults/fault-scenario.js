// @ts-check
import { call } from "../../api.js";
import { openDialog } from "../common/dialog.js";
import { announce, h, plainButton, setParameter } from "../../helpers/dom.js";
import { faultSentence } from "./fault-words.js";
import { currentWords, t } from "../../helpers/i18n.js";
import { problemAt, problemText } from "../common/problem-view.js";
import { lackedBy } from "../../models/faults/fault-groups.js";
import { loadWords, session } from "../../page.js";
import { hiddenText } from "../common/why-hidden.js";

/** Asks whether to arm the preset named in an address: an address alone changes nothing. @param {string} id */
export async function askScenario(id) {
  await loadWords("faults");
  await loadWords("tools");
  const isNamed = currentWords().has(`fault.preset.${id}`);
  await session.known;
  const lacked = lackedBy(id, session.state?.config?.hidden ?? []);
  const known = isNamed && !lacked;
  const name = isNamed ? t(`fault.preset.${id}`) : id;
  const lead = lacked ? await hiddenText(lacked) : t(known ? "fault.scenario_lead" : "fault.scenario_unknown", { name });
  const rules = h("ul", { class: "bullets" });
  const error = h("p", { class: "field-error", role: "alert" });
  const work = async () => {
    await call("POST", `/api/faults/presets/${encodeURIComponent(id)}`, { body: {} });
    await session.load();
    dialog?.close();
    announce(t("fault.armed_said", { name }));
  };
  const arm = plainButton("button button-primary", { id: "arm-scenario", work, failed: problemAt(error) }, t("fault.arm"));
  const dialog = await openDialog(
    "scenario",
    t("fault.scenario_title"),
    h("p", { class: "muted" }, lead),
    rules,
    error,
    known ? h("div", { class: "row" }, arm) : null,
  );
  if (!dialog) return;
  // A reload does not ask again.
  dialog.addEventListener("close", () => setParameter("scenario", ""));
  if (!known) return;
  arm.focus();
  try {
    const { presets } = await call("GET", "/api/faults/presets");
    const preset = presets.find((/** @type {{id: string}} */ one) => one.id === id);
    rules.replaceChildren(
      ...(preset?.rules ?? []).map((/** @type {import("../../models/faults/faults.js").FaultDraft} */ rule) =>
        h("li", { dir: "auto" }, faultSentence(rule))
      ),
    );
  } catch (problem) {
    error.textContent = problemText(problem);
  }
}
