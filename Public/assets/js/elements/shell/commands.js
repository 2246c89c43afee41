// @ts-check The actions of the keys and the palette, except for opening dialogs.
import { call } from "../../api.js";
import { announce, need, painted } from "../../helpers/dom.js";
import { t } from "../../helpers/i18n.js";
import { problemText } from "../common/problem-view.js";
import { isSignedIn, lacks } from "../../models/shell/console-state.js";
import { session } from "../../page.js";

/** The backend's features that commands need. @type {Record<string, string>} */
const needed = { go_cues: "cues", go_profiles: "profiles", go_deletion: "deletion", refresh: "refresh" };

/** Whether a command can be done now. @param {string} command */
export function isOffered(command) {
  const state = session.state;
  const inside = state ? isSignedIn(state) : false;
  if (lacks(state, needed[command] ?? "")) return false;
  if (["go_cues", "go_profiles", "go_settings", "go_deletion", "refresh"].includes(command)) return inside;
  if (command === "go_login") return !inside;
  if (command === "go_team") return state?.persons === true;
  if (command === "go_inbox") return state?.backend.embedded === true;
  return true;
}

/** The commands that need no dialog. @type {Record<string, () => unknown>} */
export const actions = {
  theme: () => document.getElementById("theme")?.click(),
  present,
  copy_link: copyLink,
  // In another tab if a dialog is open, because leaving the page would discard its typed text.
  help: () => open(helpAddress(), document.querySelector("dialog[open]") ? "_blank" : "_self"),
  single_keys: toggleSingleKeys,
  refresh: () => ask("/api/session/refresh", "command.refresh"),
  relaunch: () => ask("/api/session/relaunch", "command.relaunch"),
};

/** Turns presentation mode on or off: it masks secrets and identifiers and enlarges the page. */
async function present() {
  await painted();
  const { dataset } = document.documentElement;
  const isOn = dataset.present === undefined;
  if (isOn) {
    dataset.present = "";
    localStorage.setItem("understudy.present", "1");
  } else {
    delete dataset.present;
    localStorage.removeItem("understudy.present");
  }
  document.dispatchEvent(new Event("present"));
  announce(t(isOn ? "shell.presenting" : "shell.not_presenting"));
}

/** The address of the help, with the section of this page. */
export const helpAddress = () => need(document, "a#help", HTMLAnchorElement).href;

async function copyLink() {
  try {
    await navigator.clipboard.writeText(location.href);
    announce(t("copy.done"));
  } catch {
    announce(t("copy.failed"));
  }
}

/** Turns single-key shortcuts on or off (WCAG 2.1.4). */
export function toggleSingleKeys() {
  const isOff = localStorage.getItem("understudy.keys") === "off";
  if (isOff) localStorage.removeItem("understudy.keys");
  else localStorage.setItem("understudy.keys", "off");
  announce(t(isOff ? "shortcuts.single_on" : "shortcuts.single_off"));
}

/** Arms a preset of faults. @param {string} id @param {string} name */
export async function armPreset(id, name) {
  try {
    await call("POST", `/api/faults/presets/${id}`, { body: {} });
    await session.load();
    announce(t("fault.armed_said", { name }));
  } catch (error) {
    announce(problemText(error));
  }
}

/** @param {string} path @param {string} name */
async function ask(path, name) {
  try {
    session.take(await call("POST", path, { body: {} }));
    announce(t("command.done", { name: t(name) }));
  } catch (error) {
    announce(problemText(error));
  }
}

/** Shows the pages in another language; the position on the page stays. @param {string} code */
export function speak(code) {
  localStorage.setItem("understudy.language", code);
  const address = new URL(location.href);
  address.searchParams.delete("lang");
  if (address.href === location.href) location.reload();
  else location.replace(address);
}
