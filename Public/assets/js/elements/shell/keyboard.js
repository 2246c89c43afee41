// @ts-check
// The keys of every page and what they do; loaded at the first key that could be one of them.
import { announce, isTyping, painted } from "../../helpers/dom.js";
import { currentWords, t } from "../../helpers/i18n.js";
import { problemText } from "../../helpers/problem-view.js";
import { call } from "../../api.js";
import { KeySequence, pressed } from "../../models/shell/bindings.js";
import { isSignedIn } from "../../models/shell/console-state.js";
import { loadWords, session } from "../../page.js";

const sequence = new KeySequence();

/** Where each page lies. @type {Record<string, string>} */
export const addresses = {
  go_network: "/network",
  go_timeline: "/timeline",
  go_inbox: "/inbox",
  go_cues: "/cues",
  go_profiles: "/profiles",
  go_settings: "/settings",
  go_login: "/login",
  go_deletion: "/delete-account",
};

/** Takes a key press that no page has taken. @param {KeyboardEvent} event */
export function press(event) {
  const key = pressed(event);
  if (!key || event.defaultPrevented) return;
  const isChord = key.startsWith("Mod+");
  // A dialog keeps its keys; the one key that leads out of everything works there too.
  if (!isChord && (isTyping(event) || document.querySelector("dialog[open]"))) return;
  const command = sequence.take(key, event.timeStamp);
  if (command) void run(command);
}

/** Whether a command can be done now. @param {string} command */
export function isOffered(command) {
  const state = session.state;
  const inside = state ? isSignedIn(state) : false;
  if (["go_cues", "go_profiles", "go_settings", "go_deletion", "refresh"].includes(command)) return inside;
  if (command === "go_login") return !inside;
  if (command === "go_inbox") return state?.backend.embedded === true;
  return true;
}

/**
 * Does what a command says.
 * @param {string} command a name of `bindings` or one that only the palette offers
 * @param {() => string} [typed] what was typed into the palette before it was there
 */
export async function run(command, typed) {
  const address = addresses[command];
  if (address) {
    if (isOffered(command)) location.assign(address);
    return;
  }
  await loadWords("tools");
  if (command === "palette") await (await import("./command-palette.js")).openPalette(typed);
  else if (command === "shortcuts") (await import("./shortcut-sheet.js")).openSheet();
  else if (command === "devices") (await import("./device-menu.js")).openDevices();
  else if (command === "faults") await (await import("../faults/fault-panel.js")).openFaults();
  else if (command === "scenario") await scenario();
  else if (command === "theme") document.getElementById("theme")?.click();
  else if (command === "present") await present();
  else if (command === "copy_link") await copyLink();
  else if (command === "single_keys") toggleSingleKeys();
  else if (command === "refresh") await ask("/api/session/refresh", "command.refresh");
  else if (command === "relaunch") await ask("/api/session/relaunch", "command.relaunch");
}

/** Masks every secret and identifier on the screen and enlarges what is shown, or ends that. */
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

/** Asks about the faults that the address names. */
async function scenario() {
  const id = new URLSearchParams(location.search).get("scenario");
  if (id) await (await import("../faults/fault-scenario.js")).askScenario(id);
}

async function copyLink() {
  try {
    await navigator.clipboard.writeText(location.href);
    announce(t("copy.done"));
  } catch {
    announce(t("copy.failed"));
  }
}

/** Turns the keys that are pressed alone on or off (WCAG 2.1.4). */
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

/** Shows the pages in another language; the place on the page is kept. @param {string} code */
export function speak(code) {
  localStorage.setItem("understudy.language", code);
  const address = new URL(location.href);
  address.searchParams.delete("lang");
  if (address.href === location.href) location.reload();
  else location.replace(address);
}

/** The name of a page language, the test ones by what they are. @param {{code: string, name: string | null}} language */
export const languageLabel = ({ code, name }) =>
  name ?? (currentWords().has(`language.${code}`) ? t(`language.${code}`) : code);
