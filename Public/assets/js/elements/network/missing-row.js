// @ts-check
// Why a row that an address names cannot be shown.
import { call, tabDevice } from "../../api.js";
import { h, icon } from "../../helpers/dom.js";
import { t } from "../../helpers/i18n.js";
import { recording } from "../../helpers/log-source.js";

/** Explains why a row of this device is missing. @param {string} device @returns {Promise<HTMLElement>} */
export async function whyMissing(device) {
  return h("div", { class: "blank", role: "alert" }, icon("alert", 24), h("p", { dir: "auto" }, await reason(device)));
}

/** @param {string} device */
async function reason(device) {
  if (recording !== null) return t("saved.not_recorded");
  if (device === tabDevice()?.device_id) return t("saved.gone");
  const { devices } = await call("GET", "/api/devices");
  const name = devices.find((/** @type {{device_id: string, name: string}} */ one) => one.device_id === device)?.name;
  return name ? t("saved.foreign", { name }) : t("saved.foreign_unnamed");
}
