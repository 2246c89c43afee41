// @ts-check
import { ApiError, explainWith, lazily, once } from "../../api.js";
import { events } from "../../events.js";
import { announce, everySecond, h, isTyping, loadStyle, need, noticePlace, painted } from "../../helpers/dom.js";
import { currentWords, moment, t } from "../../helpers/i18n.js";
import { backendHost, isSignedIn, lacks, unexpectedEndReason } from "../../models/shell/console-state.js";
import { LiveElement, loadWords, pageLanguages, ready, rememberPage, session } from "../../page.js";

const themes = ["system", "light", "dark"];
// One load for all, because several may not finish in the order of the keys.
const keyboard = once(() => import("./keyboard.js"));
const ending = once(() => import("./session-over.js"));
const warning = once(() => import("../faults/armed-banner.js"));
const clock = once(() => import("./clock-ahead.js"));
const fileProblem = once(() => import("./file-problem.js"));
const showToast = lazily(() => import("../common/notice.js"), "showToast");

// Words about failures are loaded when one is met.
explainWith(async (code) => {
  await ready;
  // Without them, the page shows a general error.
  if (!currentWords().has(`error.${code}`)) await loadWords("errors").catch(() => {});
  if (code === "proxy_session") await offerSignIn().catch(() => {});
});

/** Offers to load the page again, which leads to the proxy. */
async function offerSignIn() {
  const id = "proxy-sign-in";
  if (document.getElementById(id)) return;
  await showToast(t("error.proxy_session"), [{ label: t("nav.login"), id, act: () => Promise.resolve(location.reload()) }], "bad");
}

// A press that needs the console while it is unreachable, and does not report that itself.
addEventListener("unhandledrejection", (event) => {
  if (!(event.reason instanceof ApiError) || event.reason.code !== "unreachable") return;
  event.preventDefault();
  document.getElementById("unreachable")?.remove();
  const text = t("error.unreachable");
  const notice = h("p", { class: "notice", "data-tone": "bad", role: "alert", id: "unreachable" }, text);
  noticePlace().append(notice);
  setTimeout(() => notice.remove(), 8000);
});

/** The top bar: backend, device, version, state of the connection, navigation, and tools. */
class UnderstudyShell extends LiveElement {
  /** The state of the stream that was announced last. */
  #announced = "";
  #isTellingEnd = false;
  /** The text typed while the palette loads, else null. @type {string | null} */
  #typed = null;

  async connectedCallback() {
    const { signal } = this;
    const page = location.pathname.slice(1);
    if (page !== "help") need(this, "#help", HTMLAnchorElement).hash = page;
    need(this, "#theme", HTMLButtonElement).addEventListener("click", () => void this.#nextTheme(), { signal });
    need(this, "#commands", HTMLButtonElement).addEventListener("click", () => void this.#openPalette(), { signal });
    need(this, "#device", HTMLButtonElement).addEventListener("click", () => {
      // The focus goes back to the button of the menu, which is there when the dialog closes.
      need(this, "#shell-menu", HTMLElement).hidePopover();
      this.#run("devices");
    }, { signal });
    document.addEventListener("keydown", (event) => this.#key(event), { signal });
    document.addEventListener("present", () => this.#showPresenting(), { signal });
    document.addEventListener("click", (event) => {
      const isLeaving = event.target instanceof Element && event.target.closest('a[href="/login"]');
      // The sign-in pages lead back to the previous page, not to themselves.
      if (isLeaving && !document.querySelector("login-card, callback-card")) rememberPage();
      const button = event.target instanceof Element ? event.target.closest("[data-command]") : null;
      if (button instanceof HTMLElement && button.dataset.command) this.#run(button.dataset.command);
    }, { signal });
    await ready;
    if (new URLSearchParams(location.search).has("scenario")) this.#run("scenario");
    if (sessionStorage.getItem("understudy.action")) this.#run("wanted");
    this.#showTheme();
    this.#showLanguages(signal);
    this.#showPresenting();
    session.addEventListener("change", () => this.#showState(), { signal });
    events.addEventListener("status", () => this.#announceStatus(), { signal });
    this.#showState();
    everySecond(() => this.#showConnection(), signal);
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
    const isHelp = event.key === "F1" && !event.shiftKey && !event.ctrlKey && !event.metaKey && !event.altKey;
    if (isPalette || isHelp) event.preventDefault();
    else if (isTyping(event) || event.key.length !== 1) return;
    if (isPalette) void this.#openPalette();
    else if (!isHelp) void keyboard().then(({ press }) => press(event));
    else if (!event.repeat) this.#run("help");
  }

  // Text typed while the palette loads goes into it.
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
    this.#showBackend();
    const device = need(this, "#device", HTMLElement);
    device.hidden = false;
    device.setAttribute("aria-label", t("shell.device", { name: state.name }));
    this.#fact("device").textContent = state.name;
    this.#fact("version").textContent = t("shell.version", { version: state.version });
    for (const name of ["settings", "profiles", "cues"]) this.#nav(name).hidden = !isSignedIn(state) || lacks(state, name);
    this.#nav("login").hidden = isSignedIn(state);
    this.#nav("inbox").hidden = !state.backend.embedded;
    this.#nav("team").hidden = !state.persons;
    // If the navigation is too long for the screen, scroll to this page's link; after the frame, which lays it out anyway.
    const link = this.querySelector(".nav [aria-current]");
    void painted().then(() => link?.scrollIntoView({ block: "nearest", inline: "nearest" }));
    if (state.faults?.armed) void this.#add("armed-banner", warning, "faults", (one) => this.after(one));
    if (state.backend.file_problem) void this.#add("file-problem", fileProblem, null, (one) => this.after(one));
    // The sign-in pages report it themselves.
    if (unexpectedEndReason(state.session) && !document.querySelector("login-card, callback-card")) void this.#showSessionEnd();
  }

  /** Names the backend, with its state at the last call. */
  #showBackend() {
    const backend = session.state?.backend;
    if (!session.state || !backend) return;
    const { embedded, url, last_call: last = "none", clock_ahead_seconds: seconds = 0 } = backend;
    // Where there is little room, the end of the name goes and the port stays.
    const [host = "", port = ""] = embedded ? [t("shell.builtin")] : backendHost(session.state);
    const name = this.#fact("host");
    name.dir = embedded ? "" : "ltr";
    name.replaceChildren(h("span", { class: "truncate" }, host), port);
    const pill = this.#fact("backend");
    // The console's last report is outdated while it is unreachable.
    pill.dataset.state = events.status.state === "live" ? last : "none";
    const said = events.status.state === "live" ? t(`shell.last_call.${last}`) : "";
    this.#fact("last-call").textContent = said;
    pill.title = said ? `${url} · ${said}` : url;
    // It shows and hides itself from then on.
    if (seconds) void this.#add("clock-ahead", clock, "clock-ahead", (one) => pill.before(one));
  }

  /** Shows a banner below the bar after the session ended by itself; it hides itself. */
  async #showSessionEnd() {
    if (this.#isTellingEnd) return;
    const loaded = await ending().catch(() => null);
    if (!loaded || this.#isTellingEnd) return;
    this.#isTellingEnd = true;
    this.after(document.createElement("session-over"));
  }

  /**
   * Adds an element that shows and hides itself, once.
   * @param {string} name @param {() => Promise<unknown>} load @param {string | null} style @param {(element: Element) => void} place
   */
  async #add(name, load, style, place) {
    const [loaded] = await Promise.all([load().catch(() => null), style && loadStyle(style)]);
    if (loaded && !document.querySelector(name)) place(document.createElement(name));
  }

  /** @param {string} name */
  #nav(name) {
    return need(this, `[data-nav="${name}"]`, HTMLElement);
  }

  #showConnection() {
    const { state, since, retryAt } = events.status;
    const pill = this.#fact("connection");
    const seconds = Math.max(0, Math.ceil(((retryAt ?? 0) - Date.now()) / 1000));
    const text = t(`connection.${state}`, { n: seconds, time: moment(since) });
    if (pill.dataset.state !== state) pill.dataset.state = state;
    if (pill.textContent !== text) pill.textContent = text;
  }

  #announceStatus() {
    const { state } = events.status;
    if (state !== this.#announced && (this.#announced || state !== "live")) announce(t(`connection.said.${state}`));
    this.#announced = state;
    this.#showConnection();
    this.#showBackend();
  }

  #showPresenting() {
    this.#fact("presenting").hidden = document.documentElement.dataset.present === undefined;
  }

  /** @param {AbortSignal} signal */
  #showLanguages(signal) {
    const select = need(this, "#language", HTMLSelectElement);
    const { lang } = document.documentElement;
    select.replaceChildren(...pageLanguages.map(({ code, name }) => h("option", { value: code, lang: code }, name)));
    if (!pageLanguages.some(({ code }) => code === lang)) select.append(h("option", { value: lang }, lang));
    select.value = lang;
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
