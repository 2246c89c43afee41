// @ts-check
import { h, icon, plainButton } from "../../helpers/dom.js";
import { t } from "../../helpers/i18n.js";
import { lackedBy, presetGroups } from "../../models/faults/fault-groups.js";
import { whyHidden } from "../../models/shell/missing-calls.js";

/** @typedef {import("../../models/faults/fault-groups.js").FaultGroup} FaultGroup */

/**
 * The presets by the broken part, each with its effect: a press arms one, another disarms it.
 * @param {(id: string, name: string) => Promise<void>} press
 * @param {string[]} hidden what the backend lacks: presets that need it are hidden, with a hint
 */
export const presetList = (press, hidden) =>
  Object.entries(presetGroups).map(([group, ids]) => {
    const lacked = new Set(ids.flatMap((id) => lackedBy(id, hidden) ?? []));
    return h(
      "section",
      { class: "preset-group", "aria-labelledby": `presets-${group}` },
      h("h4", { id: `presets-${group}` }, t(`fault.group.${group}`)),
      h("ul", {}, ...ids.filter((id) => !lackedBy(id, hidden)).map((id) => h("li", {}, preset(id, press)))),
      ...Array.from(lacked, whyHidden).map(({ key, parameters }) => h("p", { class: "hint" }, t(key, parameters))),
    );
  });

/** @param {string} id @param {(id: string, name: string) => Promise<void>} press */
function preset(id, press) {
  const name = t(`fault.preset.${id}`);
  return plainButton(
    "preset",
    { "data-preset": id, "aria-pressed": "false", work: () => press(id, name) },
    h("span", { class: "preset-mark" }, icon("check", 14)),
    h("span", { class: "preset-name" }, name),
    h("span", { class: "preset-state small nums" }),
    h("span", { class: "preset-effect small" }, t(`fault.effect.${id}`)),
  );
}

/**
 * Shows at the presets which are armed and how often they acted.
 * @param {ParentNode} root @param {FaultGroup[]} groups
 */
export function showPresets(root, groups) {
  for (const button of root.querySelectorAll("[data-preset]")) {
    const group = groups.find((one) => one.preset === button.getAttribute("data-preset"));
    const place = button.querySelector(".preset-state");
    const text = group && (group.hits || group.state !== "armed")
      ? group.state === "armed"
        ? t("fault.hits", { n: group.hits })
        : t(`fault.state.${group.state}`)
      : "";
    if (place && place.textContent !== text) place.textContent = text;
    button.setAttribute("aria-pressed", String(group?.state === "armed"));
  }
}
