// @ts-check
import { events } from "../events.js";
import { announce } from "../helpers/announce.js";
import { need } from "../helpers/dom.js";
import { clockTime } from "../helpers/format.js";
import { t } from "../helpers/i18n.js";
import { everySecond } from "../helpers/time.js";
import { backendHost, isSignedIn } from "../models/console-state.js";
import { ready } from "../page.js";
import { session } from "../session.js";

const themes = ["system", "light", "dark"];

/** The top bar: which backend, device and build this is, how the stream stands, and the way to the other pages. */
class UnderstudyShell extends HTMLElement {
  constructor() {
    super();
    this.lifetime = new AbortController();
    /** The state of the stream that was said last. */
    this.announced = "";
  }

  async connectedCallback() {
    const { signal } = this.lifetime;
    need(this, "#theme", HTMLButtonElement).addEventListener("click", () => this.nextTheme(), { signal });
    await ready;
    this.showTheme();
    session.addEventListener("change", () => this.showState(), { signal });
    events.addEventListener("status", () => this.announceStatus(), { signal });
    this.showState();
    everySecond(() => this.showConnection(), signal);
  }

  disconnectedCallback() {
    this.lifetime.abort();
  }

  /** @param {string} name */
  fact(name) {
    return need(this, `[data-fact="${name}"]`, HTMLElement);
  }

  showState() {
    const state = session.state;
    if (!state) return;
    const isEmbedded = state.backend.embedded;
    const badge = this.fact("badge");
    badge.hidden = false;
    badge.dataset.tone = isEmbedded ? "info" : "warn";
    badge.textContent = t(isEmbedded ? "shell.embedded" : "shell.staging");
    this.fact("host").textContent = backendHost(state);
    this.fact("host").title = state.backend.url;
    this.fact("device").textContent = state.name;
    this.fact("version").textContent = t("shell.version", { version: state.version });
    need(this, '[data-nav="login"]', HTMLElement).hidden = isSignedIn(state);
    need(this, '[data-nav="settings"]', HTMLElement).hidden = !isSignedIn(state);
    need(this, '[data-nav="inbox"]', HTMLElement).hidden = !isEmbedded;
  }

  showConnection() {
    const { state, since, retryAt } = events.status;
    const pill = this.fact("connection");
    const seconds = Math.max(0, Math.ceil(((retryAt ?? 0) - Date.now()) / 1000));
    const text = t(`connection.${state}`, { n: seconds, time: clockTime(since) });
    if (pill.dataset.state !== state) pill.dataset.state = state;
    if (pill.textContent !== text) pill.textContent = text;
  }

  announceStatus() {
    const { state } = events.status;
    if (state !== this.announced && (this.announced || state !== "live")) announce(t(`connection.said.${state}`));
    this.announced = state;
    this.showConnection();
  }

  nextTheme() {
    const now = themes.indexOf(document.documentElement.dataset.theme ?? "system");
    const theme = themes[(now + 1) % themes.length] ?? "system";
    if (theme === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    localStorage.setItem("understudy.theme", theme);
    this.showTheme();
    announce(t(`theme.${theme}`));
  }

  showTheme() {
    const theme = document.documentElement.dataset.theme ?? "system";
    const button = need(this, "#theme", HTMLButtonElement);
    const label = t(`theme.${theme}`);
    button.setAttribute("aria-label", label);
    button.title = label;
    need(button, "use", SVGUseElement).setAttribute("href", `/assets/icons/sprite.svg#theme-${theme}`);
  }
}

customElements.define("understudy-shell", UnderstudyShell);
