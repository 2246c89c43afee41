// @ts-check
import { call, dropDevice, heldDevices, renameDevice } from "../../api.js";
import { confirmDeletion } from "../common/confirm-deletion.js";
import { problemText } from "../common/problem-view.js";
import { announce, busy, h, plainButton } from "../../helpers/dom.js";
import { field, fieldFault, nameInput } from "../../helpers/fields.js";
import { t } from "../../helpers/i18n.js";
import { isDisplayName } from "../../models/shell/device-list.js";

/** @typedef {import("../../models/shell/device-list.js").ListedDevice} ListedDevice */

/**
 * The key of a device of this browser or, if another browser of the person has it, a new one.
 * @param {string} id @returns {Promise<import("../../api.js").Device>}
 */
export async function keyOf(id) {
  const held = heldDevices().find((one) => one.device_id === id);
  if (held) return held;
  const { device_id, device_key, name } = await call("POST", `/api/devices/${id}/key`, { body: {} });
  return { device_id, device_key, name };
}

/**
 * The actions on a device of the list.
 * @param {ListedDevice} one
 * @param {HTMLElement} line
 * @param {boolean} isMany whether the tab can show another device
 * @param {() => Promise<void>} again reads the list again
 * @returns {import("../common/menu.js").MenuItem[]}
 */
export const deviceActions = (one, line, isMany, again) => [
  { label: t("devices.rename"), id: "rename", act: () => rename(one, line, again) },
  // The only device is reset, which makes a new one.
  ...(isMany ? [{ label: t("devices.delete"), id: "delete", act: () => remove(one, again) }] : []),
];

/** Edits the name of a device in its line. @param {ListedDevice} one @param {HTMLElement} line @param {() => Promise<void>} again */
function rename({ id, name }, line, again) {
  const described = { id: "new-device-name", "aria-describedby": "new-device-name-error" };
  const input = nameInput({ class: "input input-small", ...described });
  input.value = name;
  const save = h("button", { type: "submit", class: "button button-primary button-small" }, t("action.save"));
  const cancel = plainButton("button button-small", { onclick: () => void end() }, t("action.cancel"));
  const form = h(
    "form",
    { class: "stack-tight grow", novalidate: true },
    field(t("devices.new_name", { name }), input, h("p", { class: "field-error", id: "new-device-name-error" })),
    h("div", { class: "row" }, save, cancel),
  );
  const end = async () => {
    await again();
    const button = document.querySelector(`[data-device="${CSS.escape(id)}"] .device-more`);
    if (button instanceof HTMLElement) button.focus();
  };
  line.replaceChildren(form);
  input.select();
  form.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    void end();
  });
  input.addEventListener("input", () => fieldFault(input, ""));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const wanted = input.value.trim();
    if (!isDisplayName(wanted)) return fieldFault(input, t("devices.name_bad"));
    void busy(save, async () => {
      try {
        const device = await keyOf(id);
        await call("PATCH", "/api/device", { body: { name: wanted }, device });
        await renameDevice(id, wanted);
        announce(t("devices.renamed", { name: wanted }));
        await end();
      } catch (error) {
        fieldFault(input, problemText(error));
      }
    });
  });
}

/** Asks before a device is deleted for good. @param {ListedDevice} one @param {() => Promise<void>} again */
async function remove({ id, name, isShown }, again) {
  await confirmDeletion({
    id: "delete-device",
    title: t("devices.delete_title", { name }),
    why: t("devices.delete_why"),
    label: t("devices.delete_confirm"),
    act: async () => {
      await call("DELETE", "/api/device", { device: await keyOf(id) });
      await dropDevice(id);
    },
    done: () => {
      announce(t("devices.deleted", { name }));
      // The tab shows another device then.
      if (isShown) location.assign("/");
      else void again().then(() => /** @type {HTMLElement | null} */ (document.querySelector("#devices button"))?.focus());
    },
  });
}
