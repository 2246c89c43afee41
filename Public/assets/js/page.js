// @ts-check
// What every page does once: its words, then the stream and the state of the tab's device.
import { ApiError, call, loadAsset, tabDevice } from "./api.js";
import { events } from "./events.js";
import { delay } from "./helpers/dom.js";
import { currentWords, translate, useWords, Words } from "./helpers/i18n.js";
import { isSignedIn } from "./models/shell/console-state.js";
import { endonym } from "./models/shell/language.js";

/** Under what the tab's storage keeps a login that waits for its code. */
export const pendingLoginKey = "understudy.login";

/** Under what the tab's storage keeps which device was signed in. */
const insideKey = "understudy.inside";

/**
 * What tells two states of the session apart, of those members that events carry too.
 * @param {import("./models/shell/console-state.js").ConsoleState | null} state
 */
function markOf(state) {
  const { user, ...session } = state?.session ?? {};
  return JSON.stringify([session, user?.user_id, state?.deletion]);
}

/** Holds the last known state; dispatches `change` when it or the error of the last try changed. */
class ConsoleSession extends EventTarget {
  /** @type {import("./models/shell/console-state.js").ConsoleState | null} */
  state = null;
  /**
   * The state heard of last, without `config` perhaps.
   * @type {import("./models/shell/console-state.js").ConsoleState | null}
   */
  #told = null;
  /** Why the last try failed, null once one worked. @type {ApiError | null} */
  error = null;
  /** When the state was last known to be right, in milliseconds. */
  asOf = 0;
  /** How many states were taken, and reads begun. */
  #takes = 0;
  #loads = 0;
  /** The read that was begun last. @type {Promise<void>} */
  #newest = Promise.resolve();
  #isRetrying = false;
  /** Resolves once a state is known. @type {Promise<void>} */
  known = new Promise((resolve) => {
    this.addEventListener("change", () => {
      if (this.state) resolve();
    });
  });

  /** Whether this tab's device was signed in when last known, on this page or the one before. */
  get wasSignedIn() {
    return sessionStorage.getItem(insideKey) === (tabDevice()?.device_id ?? "");
  }

  /** Loads the state and follows it from then on. */
  start() {
    let wasLive = false;
    // Events carry no `config`.
    events.addEventListener("session", (event) => {
      const { detail } = /** @type {CustomEvent} */ (event);
      this.#takes += 1;
      this.#told = detail;
      if (this.state) this.take({ ...detail, config: this.state.config });
    });
    for (const name of ["gap", "config", "fault"]) events.addEventListener(name, () => void this.load());
    events.addEventListener("status", () => {
      const isLive = events.status.state === "live";
      if (isLive && !wasLive && this.asOf) void this.load();
      wasLive = isLive;
    });
    void this.load();
  }

  /** Reads the state anew, again after a passing failure. @returns {Promise<void>} */
  load() {
    return this.#newest = this.#read();
  }

  /** @returns {Promise<void>} */
  async #read() {
    const [turn, takes] = [this.#loads += 1, this.#takes];
    try {
      const state = await call("GET", "/api/state");
      if (turn !== this.#loads) return await this.#newest;
      // What was told meanwhile may be newer than the answer.
      if (takes !== this.#takes && markOf(state) !== markOf(this.#told)) return await this.load();
      this.take(state);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (turn !== this.#loads) return await this.#newest;
      this.error = error;
      this.dispatchEvent(new Event("change"));
      if (error.isPassing && !this.#isRetrying) {
        this.#isRetrying = true;
        await delay(3000);
        this.#isRetrying = false;
        await this.load();
      }
    }
  }

  /** Takes a state that a call answered with. @param {unknown} value */
  take(value) {
    const state = /** @type {import("./models/shell/console-state.js").ConsoleState | null} */ (value);
    if (!state?.session || !state.backend) return;
    this.#takes += 1;
    this.state = this.#told = state;
    this.error = null;
    this.asOf = Date.now();
    // A sign-in by the link, on another page, ends the wait for its code too.
    if (isSignedIn(state)) {
      sessionStorage.removeItem(pendingLoginKey);
      sessionStorage.setItem(insideKey, state.device_id);
    } else sessionStorage.removeItem(insideKey);
    // What is for somebody who is not signed in.
    for (const one of document.querySelectorAll("[data-signed-out]")) one.toggleAttribute("hidden", isSignedIn(state));
    this.dispatchEvent(new Event("change"));
  }
}

/** The languages that the pages speak, by their own names; the pseudo-locales, which show what a translation would break, have none. */
export const pageLanguages = (document.querySelector("meta[name=languages]")?.getAttribute("content") ?? "en").split(
  " ",
)
  .map((code) => ({ code, name: code.includes("-X") ? null : endonym(code) }));

/** The page's view of its device's state. */
export const session = new ConsoleSession();

/**
 * The messages of a section in the page's language; a pseudo-locale is made from English.
 * @param {string} section
 * @returns {Promise<import("./helpers/i18n.js").Catalogue>}
 */
async function catalogue(section) {
  const language = document.documentElement.lang || "en";
  const isPseudo = language.includes("-X");
  const messages = await loadAsset(`/assets/locales/${isPseudo ? "en" : language}/${section}.json`);
  return isPseudo ? (await import("./helpers/pseudo.js")).pseudo(messages, language) : messages;
}

/** Adds a section to the page's words, once. @param {string} section @returns {Promise<void>} */
export function loadWords(section) {
  const known = loaded.get(section);
  if (known) return known;
  const words = catalogue(section).then((messages) => currentWords().add(messages));
  loaded.set(section, words);
  // After a failure the next call tries again.
  words.catch(() => loaded.delete(section));
  return words;
}
/** @type {Map<string, Promise<void>>} */
const loaded = new Map();

async function start() {
  const { lang, dataset } = document.documentElement;
  try {
    const sections = ["common", ...(dataset.words ? [dataset.words] : [])];
    const parts = await Promise.all(sections.map(catalogue));
    if (dataset.words) loaded.set(dataset.words, Promise.resolve());
    useWords(new Words(Object.assign({}, ...parts), lang || "en"));
    translate(document);
  } catch {
    // The English of the page stands in for the catalogue.
  }
  delete dataset.waiting;
  events.start();
  session.start();
}

/** Resolves when the words are in place and the state is on its way. */
export const ready = start();
