// @ts-check
import { ApiError, call, dropDevice, heldDevices, makeDevice, showDevice, tabDevice } from "../../api.js";
import { confirmDeletion } from "../common/confirm-deletion.js";
import { openDialog } from "../common/dialog.js";
import { announce, busy, h, icon, need, plainButton, setParameter, showDone } from "../../helpers/dom.js";
import { fieldFault, nameInput } from "../../helpers/fields.js";
import { t } from "../../helpers/i18n.js";
import { problemPanel, problemText } from "../common/problem-view.js";
import { isDisplayName, listedDevices } from "../../models/shell/device-list.js";
import { openMenu } from "../common/menu.js";
import { deviceActions, keyOf } from "./device-actions.js";
import { session } from "../../page.js";

/** @typedef {import("../../api.js").Device} Device */

/** Opens the switcher: the devices of this browser or person, a new device, and relaunch or reset of this one. */
export async function openDevices() {
  const lead = h("p", { class: "muted small", id: "devices-lead" }, t("devices.lead"));
  const list = h("ul", { class: "line-list device-list", "aria-label": t("devices.title") });
  const error = h("p", { class: "field-error", id: "device-name-error" });
  const name = nameInput({ class: "input input-small", id: "device-name", "aria-describedby": "device-name-error" });
  const add = h("button", { type: "submit", class: "button", id: "add-device" }, t("devices.add"));
  const result = h("p", { class: "notice", id: "device-result", role: "status" });
  const relaunch = plainButton("button", { id: "relaunch", work: () => relaunchApp(relaunch, result) }, t("devices.relaunch"));
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
          void busy(add, () => addDevice(name));
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
  name.addEventListener("input", () => fieldFault(name, ""));
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
    const listed = listedDevices(devices, heldDevices(), own);
    const isMany = listed.some((one) => !one.isShown && (one.held || person));
    list.replaceChildren(...listed.map((one) => lineOf(one, Boolean(person), result, (line, button) => {
      const again = () => show(list, lead, result);
      void openMenu(t("devices.more", { name: one.name }), deviceActions(one, line, isMany, again), button);
    })));
  } catch (problem) {
    list.replaceChildren(h("li", {}, problemPanel(problem, () => void show(list, lead, result))));
  }
}

/** Gets a key for a device of this person that another browser has, and shows it. @param {string} id @param {HTMLElement} result */
async function take(id, result) {
  try {
    change(await keyOf(id));
  } catch (error) {
    result.dataset.tone = "bad";
    result.textContent = problemText(error);
  }
}

/**
 * @param {import("../../models/shell/device-list.js").ListedDevice} one
 * @param {boolean} isPersons whether the browser can get the key of a device that it has none of
 * @param {HTMLElement} result
 * @param {(line: HTMLElement, button: HTMLElement) => void} openActions
 */
function lineOf(one, isPersons, result, openActions) {
  const { id, name, held, isShown } = one;
  const label = h(
    "span",
    { class: "stack-none grow" },
    h("bdi", { class: "truncate" }, name),
    h("span", { class: "small muted" }, ...sessionWords(one)),
  );
  if (!held && !isPersons) return h("li", {}, label, h("span", { class: "small muted" }, t("devices.lost")));
  const named = { class: "button button-small", "aria-label": t("devices.show_named", { name }) };
  const button = h("button", { type: "button", ...named }, t("devices.show"));
  button.addEventListener("click", () => held ? change(held) : void busy(button, () => take(id, result)));
  const more = plainButton("button button-quiet button-icon device-more", {
    "aria-haspopup": "menu",
    "aria-expanded": "false",
    "aria-label": t("devices.more", { name }),
    onclick: () => openActions(line, more),
  }, icon("more"));
  const shown = h("span", { class: "badge", "data-tone": "ok" }, t("devices.current"));
  const line = h("li", { "aria-current": isShown ? "true" : null, "data-device": id }, label, isShown ? shown : button, more);
  return line;
}

/** Who is signed in on a device. @param {import("../../models/shell/device-list.js").ListedDevice} one @returns {(Node | string)[]} */
function sessionWords({ isSignedIn, user }) {
  if (!isSignedIn || !user) return [t(isSignedIn ? "devices.signed_in" : "devices.signed_out")];
  const [before = "", after = ""] = t("devices.signed_in_as", { user: "\0" }).split("\0");
  return [before, h("bdi", { "data-secret": "" }, user), after];
}

/** Shows a device in this tab. @param {Device} device */
function change(device) {
  showDevice(device);
  // The row of the address, and its device, are of the one before.
  for (const name of ["row", "device"]) setParameter(name, "");
  location.reload();
}

/** @param {HTMLInputElement} field */
async function addDevice(field) {
  const name = field.value.trim();
  if (!isDisplayName(name)) return fieldFault(field, t("devices.name_bad"));
  try {
    change(await makeDevice(name));
  } catch (error) {
    const isFull = error instanceof ApiError && error.status === 429;
    const isName = error instanceof ApiError && error.code === "invalid_request";
    fieldFault(field, isFull ? t("error.devices_full") : isName ? t("devices.name_bad") : problemText(error));
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
