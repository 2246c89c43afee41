// @ts-check The start of every page: load its words, then the stream and the state of the tab's device.
import { ApiError, beginWork, call, loadAsset, once, readJSON, tabDevice } from "./api.js";
import { events } from "./events.js";
import { delay } from "./helpers/dom.js";
import { currentWords, translate, useWords, Words } from "./helpers/i18n.js";
import { isSignedIn } from "./models/shell/console-state.js";

/** The key in the tab's storage for a login that waits for its code. */
export const pendingLoginKey = "understudy.login";

/** The key in the tab's storage for a message that was pressed in the inbox. */
export const chosenMessageKey = "understudy.chosen";

/** The key in the tab's storage for the page that wanted a sign-in. */
const returnKey = "understudy.return";

/** Remembers this page, to which the tab's next sign-in leads. */
export const rememberPage = () => sessionStorage.setItem(returnKey, location.pathname + location.search);

const pages = once(() => import("./models/shell/pages.js"));

/** Leaves the sign-in for the page that wanted it, else for Settings. */
export async function leaveSignIn() {
  const page = sessionStorage.getItem(returnKey);
  sessionStorage.removeItem(returnKey);
  const known = page ? await pages().catch(() => null) : null;
  location.replace(known?.pageAfterSignIn(page) ?? "/settings");
}

/** The key in the tab's storage for the device that was signed in. */
const insideKey = "understudy.inside";

/** The key in the browser's storage for the times when its devices requested a message. */
const askedKey = "understudy.asked";

/** When each device of this browser last requested a message, in milliseconds, by id. @returns {Record<string, number>} */
export function askedTimes() {
  const times = readJSON(localStorage.getItem(askedKey) ?? "");
  return times && typeof times === "object" ? times : {};
}

/** Remembers that this tab's device requested a message, so that its link leads back to it. */
export function rememberAsked() {
  const device = tabDevice();
  if (device) localStorage.setItem(askedKey, JSON.stringify({ ...askedTimes(), [device.device_id]: Date.now() }));
}

/**
 * Compares two states by the members that events carry too.
 * @param {import("./models/shell/console-state.js").ConsoleState | null} state
 */
function markOf(state) {
  const { user, ...session } = state?.session ?? {};
  return JSON.stringify([session, user?.user_id, state?.deletion, state?.backend]);
}

/** Stores the last known state; dispatches `change` when it or the last error changed. */
class ConsoleSession extends EventTarget {
  /** @type {import("./models/shell/console-state.js").ConsoleState | null} */
  state = null;
  /**
   * The state received last, which may lack `config`.
   * @type {import("./models/shell/console-state.js").ConsoleState | null}
   */
  #told = null;
  /** Why the last attempt failed, or null. @type {ApiError | null} */
  error = null;
  /** When the state was last known to be current, in milliseconds. */
  asOf = 0;
  /** How many states were taken and loads started. */
  #takes = 0;
  #loads = 0;
  /** The load that was started last. @type {Promise<void>} */
  #newest = Promise.resolve();
  #isRetrying = false;
  /** Resolves once a state is known. @type {Promise<void>} */
  known = new Promise((resolve) => {
    this.addEventListener("change", () => {
      if (this.state) resolve();
    });
  });

  /** Whether this tab's device was signed in when last seen. */
  get wasSignedIn() {
    return sessionStorage.getItem(insideKey) === (tabDevice()?.device_id ?? "");
  }

  /** Loads the state and keeps it current. */
  start() {
    let wasLive = false;
    // The values that events do not carry.
    events.addEventListener("session", (event) => {
      const { detail } = /** @type {CustomEvent} */ (event);
      // Another tab may pass an event on late.
      const known = this.state?.session.since;
      if (known && Date.parse(detail.session.since) < Date.parse(known)) return void this.load();
      this.#takes += 1;
      this.#told = detail;
      if (this.state) {
        const { config, ended_by_fault, never_sent_again } = this.state;
        this.take({ ...detail, config, ended_by_fault, never_sent_again });
      }
    });
    for (const name of ["gap", "config", "fault"]) events.addEventListener(name, () => void this.load());
    events.addEventListener("status", () => {
      const isLive = events.status.state === "live";
      if (isLive && !wasLive && this.asOf) void this.load();
      wasLive = isLive;
    });
    void this.load();
  }

  /** Loads the state, again after a temporary failure. @returns {Promise<void>} */
  load() {
    return this.#newest = this.#read();
  }

  /** @returns {Promise<void>} */
  async #read() {
    const [turn, takes] = [this.#loads += 1, this.#takes];
    try {
      const state = await call("GET", "/api/state");
      if (turn !== this.#loads) return await this.#newest;
      // An event in the meantime may be newer than the response.
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

  /** Takes the state in the response of a call. @param {unknown} value */
  take(value) {
    const state = /** @type {import("./models/shell/console-state.js").ConsoleState | null} */ (value);
    if (!state?.session || !state.backend) return;
    this.#takes += 1;
    this.state = this.#told = state;
    this.error = null;
    this.asOf = Date.now();
    // Signing in by link on another page also ends the wait for the code.
    if (isSignedIn(state)) {
      sessionStorage.removeItem(pendingLoginKey);
      sessionStorage.removeItem(chosenMessageKey);
      sessionStorage.setItem(insideKey, state.device_id);
    } else sessionStorage.removeItem(insideKey);
    // Elements for visitors who are not signed in.
    for (const one of document.querySelectorAll("[data-signed-out]")) one.toggleAttribute("hidden", isSignedIn(state));
    this.dispatchEvent(new Event("change"));
  }
}

/** The languages that the pages speak, by their own names. The pseudo-locales have none: `?lang=` alone leads to them. */
export const pageLanguages = (document.querySelector("meta[name=languages]")?.getAttribute("content") ?? "en").split(" ")
  .flatMap((one) => {
    const [code = "", name] = one.split("=");
    return name ? [{ code, name }] : [];
  });

/** The page's view of its device's state. */
export const session = new ConsoleSession();

const pseudoLocale = once(() => import("./helpers/pseudo.js"));

/**
 * The messages of a section in the page's language; a pseudo-locale is made from English.
 * @param {string} section
 * @returns {Promise<import("./helpers/i18n.js").Catalogue>}
 */
async function catalogue(section) {
  const language = document.documentElement.lang || "en";
  const isPseudo = language.includes("-X");
  const messages = await loadAsset(`/assets/locales/${isPseudo ? "en" : language}/${section}.json`);
  return isPseudo ? (await pseudoLocale()).pseudo(messages, language) : messages;
}

/** An element that listens until it leaves the page. */
export class LiveElement extends HTMLElement {
  #lifetime = new AbortController();
  signal = this.#lifetime.signal;

  stop() {
    this.#lifetime.abort();
  }

  disconnectedCallback() {
    this.stop();
  }
}

/** Adds a section to the page's words, once. @param {string} section @returns {Promise<void>} */
export function loadWords(section) {
  const load = loaded.get(section) ?? once(async () => {
    const [messages] = await Promise.all([catalogue(section), ready]);
    currentWords().add(messages);
  });
  loaded.set(section, load);
  return load();
}
/** @type {Map<string, () => Promise<void>>} */
const loaded = new Map();

async function start() {
  const end = beginWork();
  addEventListener("load", () => void ready.finally(end));
  const { lang, dataset } = document.documentElement;
  try {
    const sections = ["common", ...(dataset.words ? [dataset.words] : [])];
    const parts = await Promise.all(sections.map(catalogue));
    if (dataset.words) loaded.set(dataset.words, () => Promise.resolve());
    useWords(new Words(Object.assign({}, ...parts), lang || "en"));
    translate(document);
  } catch {
    // Without the catalogue, the page shows its English texts.
  }
  delete dataset.waiting;
  if (!("offline" in dataset)) events.start();
  session.start();
}

/** Resolves when the words are in place and the state is being loaded. */
export const ready = start();
