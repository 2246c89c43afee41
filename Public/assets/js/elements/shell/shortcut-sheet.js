// @ts-check
import { openDialog } from "../common/dialog.js";
import { h } from "../../helpers/dom.js";
import { t } from "../../helpers/i18n.js";
import { helpAddress, toggleSingleKeys } from "./commands.js";
import { bindingsOf, keyCaps } from "../../models/shell/bindings.js";
import { offersCode } from "../../models/shell/console-state.js";
import { session } from "../../page.js";

/** @typedef {import("../../models/shell/bindings.js").Binding} Binding */

/** Opens the list of shortcuts, made from the table of bindings. */
export async function openSheet() {
  const { everywhere, here: all } = bindingsOf(location.pathname.split("/")[1] ?? "");
  const here = all.filter((one) => one.label !== "key.copy_code" || offersCode(session.state));
  const isOn = localStorage.getItem("understudy.keys") !== "off";
  await openDialog(
    "shortcuts",
    t("shortcuts.title"),
    h(
      "div",
      { class: "shortcut-groups" },
      group(t("shortcuts.everywhere"), everywhere),
      here.length ? group(t("shortcuts.here"), here) : null,
    ),
    h("p", {}, h("a", { href: helpAddress() }, t("command.help"))),
    h(
      "label",
      { class: "switch-line" },
      h("input", {
        type: "checkbox",
        role: "switch",
        class: "switch",
        id: "single-keys",
        checked: isOn,
        onchange: toggleSingleKeys,
      }),
      h(
        "span",
        {},
        h("span", { class: "label" }, t("shortcuts.single")),
        h("span", { class: "hint" }, t("shortcuts.single_why")),
      ),
    ),
  );
}

/** @param {string} title @param {Binding[]} list */
const group = (title, list) =>
  h("section", { class: "stack-tight" }, h("h3", {}, title), h("dl", { class: "shortcut-list" }, ...list.map(line)));

/** @param {Binding} binding */
function line(binding) {
  const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);
  const steps = keyCaps(binding.keys, isMac).flatMap((step, index) => [
    ...(index ? [h("span", { class: "small muted" }, t("shortcuts.then"))] : []),
    // Keys that are pressed together are shown in the order of the keyboard in every language.
    h("span", { class: "keys", dir: "ltr" }, ...step.map((cap) => h("kbd", {}, cap))),
  ]);
  const words = binding.command ? t(`command.${binding.command}`) : t(binding.label ?? "");
  return h("div", {}, h("dt", {}, words), h("dd", { class: "keys" }, ...steps));
}
