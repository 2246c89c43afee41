// @ts-check
// The keys of every page and the dialogs that they open; loaded at the first key that could be one of them.
import { lazily } from "../../api.js";
import { isTyping } from "../../helpers/dom.js";
import { KeySequence, pressed } from "../../models/shell/bindings.js";
import { addresses } from "../../models/shell/pages.js";
import { loadWords, rememberPage } from "../../page.js";
import { askScenario, openFaults } from "../faults/dialogs.js";
import { actions, isOffered } from "./commands.js";

export { speak } from "./commands.js";

const openPalette = lazily(() => import("./command-palette.js"), "openPalette");
const openSheet = lazily(() => import("./shortcut-sheet.js"), "openSheet");
const openDevices = lazily(() => import("./device-menu.js"), "openDevices");
const pressWanted = lazily(() => import("./page-actions.js"), "pressWanted");

const sequence = new KeySequence();

/** Takes a key press that no page has taken. @param {KeyboardEvent} event */
export function press(event) {
  const key = pressed(event);
  if (!key || event.defaultPrevented) return;
  const isChord = key.startsWith("Mod+");
  // Dialogs have their own keys; only the key of the palette works there too.
  if (!isChord && (isTyping(event) || document.querySelector("dialog[open]"))) return;
  const command = sequence.take(key, event.timeStamp);
  if (command) void run(command);
}

/**
 * Runs a command.
 * @param {string} command a name of `bindings` or one that only the palette offers
 * @param {() => string} [typed] what was typed into the palette before it was there
 */
export async function run(command, typed) {
  const address = addresses[command];
  if (address) {
    if (!isOffered(command)) return;
    if (command === "go_login") rememberPage();
    location.assign(address);
    return;
  }
  await loadWords("tools");
  if (command === "palette") await openPalette(run, typed);
  else if (command === "shortcuts") await openSheet();
  else if (command === "devices") await openDevices();
  else if (command === "faults") await openFaults();
  else if (command === "wanted") await pressWanted();
  else if (command === "scenario") await scenario();
  else await actions[command]?.();
}

/** Asks about the faults that the address names. */
async function scenario() {
  const id = new URLSearchParams(location.search).get("scenario");
  if (id) await askScenario(id);
}
