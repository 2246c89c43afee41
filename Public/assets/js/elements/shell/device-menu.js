// @ts-check
import { ApiError, call, dropDevice, heldDevices, makeDevice, showDevice, tabDevice } from "../../api.js";
import { confirmDeletion } from "../common/confirm-deletion.js";
import { openDialog } from "../common/dialog.js";
import { announce, busy, h, need, setParameter, showDone } from "../../helpers/dom.js";
import { setInvalid } from "../../helpers/fields.js";
import { t } from "../../helpers/i18n.js";
import { problemPanel, problemText } from "../common/problem-view.js";
import { isDeviceName, listedDevices } from "../../models/shell/device-list.js";
import { session } from "../../page.js";

/** @typedef {import("../../api.js").Device} Device */

/** Opens the switcher: the devices of this browser or person, a new device, and relaunch or reset of this one. */
export async function openDevices() {
  const lead = h("p", { class: "muted small", id: "devices-lead" }, t("devices.lead"));
  const list = h("ul", { class: "device-list", "aria-label": t("devices.title") });
  const error = h("p", { class: "field-error", id: "device-name-error" });
  const name = h("input", {
    class: "input input-small",
    id: "device-name",
    type: "text",
    autocomplete: "off",
    dir: "auto",
    "aria-describedby": "device-name-error",
  });
  const add = h("button", { type: "submit", class: "button", id: "add-device" }, t("devices.add"));
  const result = h("p", { class: "notice", id: "device-result", role: "status" });
  const relaunch = h("button", { type: "button", class: "button", id: "relaunch" }, t("devices.relaunch"));
  const reset = h("button", { type: "button", class: "button button-danger", id: "factory-reset" }, t("devices.reset"));
  const dialog = await openDialog(
    "devices",
    t("devices.title"),
    lead,
    list,
    h(
      "form",
      {
        class: "field",
        novalidate: true,
        onsubmit: (/** @type {Event} */ event) => {
          event.preventDefault();
          void busy(add, () => addDevice(name, error));
        },
      },
      h("label", { for: "device-name" }, t("devices.new")),
      h("div", { class: "row nowrap" }, name, add),
      error,
    ),
    h("p", { class: "hint" }, t("devices.relaunch_why")),
    h("div", { class: "row" }, relaunch, reset),
    result,
  );
  if (!dialog) return;
  name.addEventListener("input", () => fault(name, error, ""));
  relaunch.addEventListener("click", () => void busy(relaunch, () => relaunchApp(relaunch, result)));
  reset.addEventListener("click", () => void confirmReset());
  await show(list, lead, result);
}

/** @param {HTMLElement} list @param {HTMLElement} lead @param {HTMLElement} result */
async function show(list, lead, result) {
  try {
    const { devices = [], person, role } = await call("GET", "/api/devices");
    const own = tabDevice()?.device_id;
    if (person) need(document, "#devices-title", HTMLElement).textContent = t("devices.title_person");
    if (person) lead.textContent = t("devices.person", { name: person, role: t(`devices.role.${role}`) });
    /** @param {import("../../models/shell/device-list.js").ListedDevice} one */
    const line = (one) => lineOf(one, person ? (button) => void busy(button, () => take(one.id, result)) : null);
    list.replaceChildren(...listedDevices(devices, heldDevices(), own).map(line));
  } catch (problem) {
    list.replaceChildren(h("li", {}, problemPanel(problem, () => void show(list, lead, result))));
  }
}

/** Gets a key for a device of this person that another browser has, and shows it. @param {string} id @param {HTMLElement} result */
async function take(id, result) {
  try {
    const { device_id, device_key, name } = await call("POST", `/api/devices/${id}/key`, { body: {} });
    change({ device_id, device_key, name });
  } catch (error) {
    result.dataset.tone = "bad";
    result.textContent = problemText(error);
  }
}

/**
 * `taking` gets the key of a device that this browser has none of; null if that is not possible.
 * @param {import("../../models/shell/device-list.js").ListedDevice} one
 * @param {((button: HTMLButtonElement) => void) | null} taking
 */
function lineOf({ name, held, isShown }, taking) {
  const label = h("span", { class: "grow" }, h("bdi", {}, name));
  if (isShown) {
    return h(
      "li",
      { "aria-current": "true" },
      label,
      h("span", { class: "badge", "data-tone": "ok" }, t("devices.current")),
    );
  }
  if (!held && !taking) return h("li", {}, label, h("span", { class: "small muted" }, t("devices.lost")));
  const button = h(
    "button",
    { type: "button", class: "button button-small", "aria-label": t("devices.show_named", { name }) },
    t("devices.show"),
  );
  button.addEventListener("click", () => held ? change(held) : taking?.(/** @type {HTMLButtonElement} */ (button)));
  return h("li", {}, label, button);
}

/** Shows a device in this tab. @param {Device} device */
function change(device) {
  showDevice(device);
  // The row of the address, and its device, are of the one before.
  for (const name of ["row", "device"]) setParameter(name, "");
  location.reload();
}

/** @param {HTMLInputElement} field @param {HTMLElement} place @param {string} text */
function fault(field, place, text) {
  place.textContent = text;
  setInvalid(field, text !== "");
  if (text) field.focus();
}

/** @param {HTMLInputElement} field @param {HTMLElement} place */
async function addDevice(field, place) {
  const name = field.value.trim();
  if (!isDeviceName(name)) return fault(field, place, t("devices.name_bad"));
  try {
    change(await makeDevice(name));
  } catch (error) {
    const isFull = error instanceof ApiError && error.status === 429;
    const isName = error instanceof ApiError && error.code === "invalid_request";
    fault(field, place, isFull ? t("error.devices_full") : isName ? t("devices.name_bad") : problemText(error));
  }
}

/** @param {HTMLElement} button @param {HTMLElement} result */
async function relaunchApp(button, result) {
  try {
    session.take(await call("POST", "/api/session/relaunch", { body: {} }));
    result.dataset.tone = "ok";
    result.textContent = t("devices.relaunched");
    showDone(button);
  } catch (error) {
    result.dataset.tone = "bad";
    result.textContent = problemText(error);
  }
}

async function confirmReset() {
  const name = session.state?.name ?? "";
  await confirmDeletion({
    id: "reset",
    title: t("devices.reset_title", { name }),
    why: t("devices.reset_why"),
    label: t("devices.reset_confirm"),
    act: async () => {
      await call("DELETE", "/api/device");
      await dropDevice();
      await makeDevice(name);
      announce(t("devices.was_reset"));
      location.assign("/");
    },
  });
}
