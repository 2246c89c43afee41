// @ts-check
import { events } from "../../events.js";
import { announce, everySecond, h, isTyping, need, painted } from "../../helpers/dom.js";
import { clockTime, t } from "../../helpers/i18n.js";
import { backendHost, isSignedIn } from "../../models/shell/console-state.js";
import { pageLanguages, ready, session } from "../../page.js";

const themes = ["system", "light", "dark"];
// Loaded when first needed, by one promise, because several imports may not finish in the order of the keys.
const keyboard = () => (loading ??= import("./keyboard.js"));
/** @type {Promise<typeof import("./keyboard.js")> | null} */
let loading = null;

/** The top bar: backend, device, version, state of the connection, navigation, and tools. */
class UnderstudyShell extends HTMLElement {
  #lifetime = new AbortController();
  /** The state of the stream that was announced last. */
  #announced = "";
  #isWarning = false;
  /** What is typed while the palette loads, else null. @type {string | null} */
  #typed = null;

  async connectedCallback() {
    const { signal } = this.#lifetime;
    need(this, "#theme", HTMLButtonElement).addEventListener("click", () => void this.#nextTheme(), { signal });
    need(this, "#commands", HTMLButtonElement).addEventListener("click", () => void this.#openPalette(), { signal });
    need(this, "#device", HTMLButtonElement).addEventListener("click", () => this.#run("devices"), { signal });
    document.addEventListener("keydown", (event) => this.#key(event), { signal });
    document.addEventListener("present", () => this.#showPresenting(), { signal });
    document.addEventListener("click", (event) => {
      const button = event.target instanceof Element ? event.target.closest("[data-command]") : null;
      if (button instanceof HTMLElement && button.dataset.command) this.#run(button.dataset.command);
    }, { signal });
    await ready;
    if (new URLSearchParams(location.search).has("scenario")) this.#run("scenario");
    this.#showTheme();
    this.#showLanguages(signal);
    this.#showPresenting();
    session.addEventListener("change", () => this.#showState(), { signal });
    events.addEventListener("status", () => this.#announceStatus(), { signal });
    this.#showState();
    everySecond(() => this.#showConnection(), signal);
  }

  disconnectedCallback() {
    this.#lifetime.abort();
  }

  /** @param {string} command */
  #run(command) {
    void keyboard().then((loaded) => loaded.run(command));
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (this.#typed !== null) {
      event.preventDefault();
      if (event.key === "Enter") this.#typed += "\n";
      else if (event.key.length === 1 && !event.ctrlKey && !event.metaKey) this.#typed += event.key;
      return;
    }
    const isPalette = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey &&
      event.key.toLowerCase() === "k";
    if (isPalette) event.preventDefault();
    else if (isTyping(event) || event.key.length !== 1) return;
    if (isPalette) void this.#openPalette();
    else void keyboard().then(({ press }) => press(event));
  }

  // What is typed while the palette loads goes into it.
  async #openPalette() {
    this.#typed = "";
    try {
      const { run } = await keyboard();
      await run("palette", () => this.#typed ?? "");
    } finally {
      this.#typed = null;
    }
  }

  /** @param {string} name */
  #fact(name) {
    return need(this, `[data-fact="${name}"]`, HTMLElement);
  }

  #showState() {
    const state = session.state;
    if (!state) return;
    const isEmbedded = state.backend.embedded;
    const badge = this.#fact("badge");
    badge.hidden = false;
    badge.dataset.tone = isEmbedded ? "info" : "warn";
    badge.textContent = t(isEmbedded ? "shell.embedded" : "shell.staging");
    this.#fact("host").textContent = backendHost(state);
    this.#fact("host").title = state.backend.url;
    const device = need(this, "#device", HTMLElement);
    device.hidden = false;
    device.setAttribute("aria-label", t("shell.device", { name: state.name }));
    this.#fact("device").textContent = state.name;
    this.#fact("version").textContent = t("shell.version", { version: state.version });
    for (const name of ["settings", "profiles", "cues"]) this.#nav(name).hidden = !isSignedIn(state);
    this.#nav("login").hidden = isSignedIn(state);
    this.#nav("inbox").hidden = !isEmbedded;
    // If the navigation is too long for the screen, scroll to this page's link.
    this.querySelector(".nav [aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
    if (state.faults?.armed) void this.#warn();
  }

  /** Shows a banner below the bar while faults are armed; it hides itself. */
  async #warn() {
    if (this.#isWarning) return;
    this.#isWarning = true;
    const [{ loadStyle }] = await Promise.all([import("../../helpers/dialog.js"), import("../faults/armed-banner.js")]);
    await loadStyle("faults");
    this.after(document.createElement("armed-banner"));
  }

  /** @param {string} name */
  #nav(name) {
    return need(this, `[data-nav="${name}"]`, HTMLElement);
  }

  #showConnection() {
    const { state, since, retryAt } = events.status;
    const pill = this.#fact("connection");
    const seconds = Math.max(0, Math.ceil(((retryAt ?? 0) - Date.now()) / 1000));
    const text = t(`connection.${state}`, { n: seconds, time: clockTime(since) });
    if (pill.dataset.state !== state) pill.dataset.state = state;
    if (pill.textContent !== text) pill.textContent = text;
  }

  #announceStatus() {
    const { state } = events.status;
    if (state !== this.#announced && (this.#announced || state !== "live")) announce(t(`connection.said.${state}`));
    this.#announced = state;
    this.#showConnection();
  }

  #showPresenting() {
    this.#fact("presenting").hidden = document.documentElement.dataset.present === undefined;
  }

  /** @param {AbortSignal} signal */
  #showLanguages(signal) {
    const select = need(this, "#language", HTMLSelectElement);
    select.replaceChildren(
      ...pageLanguages.map(({ code, name }) =>
        h("option", { value: code, lang: name ? code : "en" }, name ?? t(`language.${code}`))
      ),
    );
    select.value = document.documentElement.lang;
    select.addEventListener("change", () => void keyboard().then(({ speak }) => speak(select.value)), { signal });
  }

  async #nextTheme() {
    await painted();
    const now = themes.indexOf(document.documentElement.dataset.theme ?? "system");
    const theme = themes[(now + 1) % themes.length] ?? "system";
    if (theme === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    localStorage.setItem("understudy.theme", theme);
    this.#showTheme();
    announce(t(`theme.${theme}`));
  }

  #showTheme() {
    const theme = document.documentElement.dataset.theme ?? "system";
    const button = need(this, "#theme", HTMLButtonElement);
    const label = t(`theme.${theme}`);
    button.setAttribute("aria-label", label);
    button.title = label;
    need(button, "use", SVGUseElement).setAttribute("href", `/assets/icons/sprite.svg#theme-${theme}`);
  }
}

customElements.define("understudy-shell", UnderstudyShell);
