// @ts-check
/**
 * A key of the console: `keys` as they are pressed, with a space between keys pressed one after the other; `command` is their
 * action (`command.<name>` of the catalogue), or `label` is a key of the catalogue if the page itself listens.
 * @typedef {{keys: string, command?: string, label?: string, page?: "network" | "inbox" | "cues" | "timeline" | "help"}} Binding
 */

/** Every key that the pages bind: the shortcut sheet, the palette and the keyboard are all made from this table. @type {Binding[]} */
export const bindings = [
  { keys: "Mod+K", command: "palette" },
  { keys: "?", command: "shortcuts" },
  { keys: "F1", command: "help" },
  { keys: "g n", command: "go_network" },
  { keys: "g t", command: "go_timeline" },
  { keys: "g r", command: "go_recordings" },
  { keys: "g i", command: "go_inbox" },
  { keys: "g c", command: "go_cues" },
  { keys: "g p", command: "go_profiles" },
  { keys: "g s", command: "go_settings" },
  { keys: "d", command: "devices" },
  { keys: "f", command: "faults" },
  { keys: "y", command: "copy_link" },
  { keys: "t", command: "theme" },
  { keys: "Shift+P", command: "present" },
  { keys: "/", label: "key.filter", page: "network" },
  { keys: "j", label: "key.next", page: "network" },
  { keys: "k", label: "key.previous", page: "network" },
  { keys: "Enter", label: "key.open", page: "network" },
  { keys: "Escape", label: "shortcuts.close", page: "network" },
  { keys: "p", label: "key.pin", page: "network" },
  { keys: "v", label: "key.group", page: "network" },
  { keys: "[", label: "key.brush_from", page: "network" },
  { keys: "]", label: "key.brush_to", page: "network" },
  { keys: "j", label: "key.next", page: "inbox" },
  { keys: "k", label: "key.previous", page: "inbox" },
  { keys: "c", label: "key.copy_code", page: "inbox" },
  { keys: "/", label: "key.filter", page: "cues" },
  { keys: "Arrow", label: "key.walk", page: "cues" },
  { keys: "Shift+Arrow", label: "key.move", page: "cues" },
  { keys: "m", label: "key.move_menu", page: "cues" },
  { keys: "u", label: "key.undo", page: "cues" },
  { keys: "s", label: "key.shuffle", page: "cues" },
  { keys: "j", label: "key.next", page: "timeline" },
  { keys: "k", label: "key.previous", page: "timeline" },
  { keys: "Enter", label: "key.open", page: "timeline" },
  { keys: "/", label: "key.filter", page: "help" },
];

/** The bindings of every page, then those of this one. @param {string} page the path's last part */
export const bindingsOf = (page) => ({
  everywhere: bindings.filter((one) => !one.page),
  here: bindings.filter((one) => one.page === page),
});

/**
 * The name of a key press as the table writes it; null for a modifier alone or a press that belongs to the browser.
 * @param {{key: string, ctrlKey: boolean, metaKey: boolean, altKey: boolean, shiftKey: boolean}} event
 */
export function pressed({ key, ctrlKey, metaKey, altKey, shiftKey }) {
  if (["Control", "Meta", "Alt", "Shift", "AltGraph"].includes(key)) return null;
  const letter = /^[a-z]$/i.test(key);
  if (ctrlKey || metaKey) return letter && !altKey && !shiftKey ? `Mod+${key.toUpperCase()}` : null;
  if (altKey) return null;
  return letter && shiftKey ? `Shift+${key.toUpperCase()}` : letter ? key.toLowerCase() : key;
}

/** Remembers the first key of a pair for a short while. */
export class KeySequence {
  /** @type {{key: string, until: number} | null} */
  #first = null;

  /**
   * The command of a press, or null if it has none (yet).
   * @param {string} key as {@link pressed} names it
   * @param {number} now milliseconds
   */
  take(key, now) {
    const before = this.#first && now < this.#first.until ? this.#first.key : null;
    this.#first = null;
    const global = bindings.filter((one) => one.command);
    const pair = before && global.find((one) => one.keys === `${before} ${key}`);
    if (pair) return pair.command ?? null;
    const single = global.find((one) => one.keys === key);
    if (single) return single.command ?? null;
    if (global.some((one) => one.keys.startsWith(`${key} `))) this.#first = { key, until: now + 2500 };
    return null;
  }
}

/** The keys of a binding, as their caps are labelled on this kind of keyboard. @param {string} keys @param {boolean} isMac */
export const keyCaps = (keys, isMac) =>
  keys.split(" ").map((step) =>
    step.split(/\+(?=.)/).map((part) => (part === "Mod" ? (isMac ? "⌘" : "Ctrl") : part === "Arrow" ? "←↑↓→" : part))
  );
