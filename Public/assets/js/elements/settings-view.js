// @ts-check
import { call } from "../api.js";
import { events } from "../events.js";
import { announce } from "../helpers/announce.js";
import { copyButton } from "../helpers/copy.js";
import { busy, h, isPressable, need, setDisabled, showView } from "../helpers/dom.js";
import { clockTime, dateTime, remaining } from "../helpers/format.js";
import { t } from "../helpers/i18n.js";
import { problemPanel, problemText, reasonText, streamProblem } from "../helpers/problem-view.js";
import { delay, everySecond } from "../helpers/time.js";
import { accountFacts, secondsUntil } from "../models/account-facts.js";
import { isSignedIn } from "../models/console-state.js";
import { ApiError, retryPause } from "../models/problem.js";
import { ready } from "../page.js";
import { session } from "../session.js";

/** The account and session of the device, with what a person does to them. */
class SettingsView extends HTMLElement {
  constructor() {
    super();
    this.lifetime = new AbortController();
    /** @type {import("../models/account-facts.js").Account | null} */
    this.account = null;
    /** @type {ApiError | null} */
    this.error = null;
    this.asOf = 0;
    this.isLoading = false;
    /** How often in a row the account could not be loaded. */
    this.failures = 0;
    this.isWaiting = false;
  }

  async connectedCallback() {
    const { signal } = this.lifetime;
    showView(this, "loading");
    this.press("#refresh-session", () => this.act("POST", "/api/session/refresh", undefined, "settings.refreshed"));
    for (const button of this.querySelectorAll("[data-advance]")) {
      const seconds = Number(button.getAttribute("data-advance"));
      const body = seconds ? { advance_seconds: seconds } : { reset: true };
      this.pressed(
        button,
        () => this.act("POST", "/api/backend/clock", body, seconds ? "settings.clock_moved" : "settings.clock_reset"),
      );
    }
    const dialog = need(this, "#sign-out-dialog", HTMLDialogElement);
    need(this, "#sign-out", HTMLElement).addEventListener("click", () => this.openSignOut(dialog), { signal });
    need(this, "#keep-session", HTMLElement).addEventListener("click", () => dialog.close(), { signal });
    this.press("#confirm-sign-out", () => this.signOut(dialog));
    await ready;
    session.addEventListener("change", () => this.showState(), { signal });
    let wasLive = events.status.state === "live";
    events.addEventListener("status", () => {
      const isLive = events.status.state === "live";
      if (isLive && !wasLive && this.error) void this.load();
      wasLive = isLive;
      this.showNotice();
    }, { signal });
    this.showState();
    everySecond(() => this.tick(), signal);
  }

  disconnectedCallback() {
    this.lifetime.abort();
  }

  /** @param {string} selector @param {() => Promise<void>} work */
  press(selector, work) {
    this.pressed(need(this, selector, HTMLElement), work);
  }

  /** @param {Element} button @param {() => Promise<void>} work */
  pressed(button, work) {
    button.addEventListener("click", () => void busy(button, work), { signal: this.lifetime.signal });
  }

  showState() {
    const state = session.state;
    if (state && !isSignedIn(state)) {
      this.lifetime.abort();
      location.replace("/login");
      return;
    }
    if (!state) {
      if (session.error) this.fail(session.error);
      return;
    }
    need(this, "#clock-card", HTMLElement).hidden = !state.backend.embedded;
    const chip = need(this, "#session-state", HTMLElement);
    chip.textContent = t(`session.${state.session.state}`);
    chip.dataset.tone = { authenticated: "ok", refreshing: "info", error: "warn", signed_out: "" }[state.session.state];
    this.tick();
    if (!this.account && !this.isLoading) void this.load();
    else this.showNotice();
  }

  async load() {
    this.isLoading = true;
    try {
      this.account = await call("GET", "/api/account", { signal: this.lifetime.signal });
      this.error = null;
      this.failures = 0;
      this.asOf = Date.now();
      this.showAccount();
    } catch (error) {
      if (error instanceof ApiError && error.code === "signed_out") await session.load();
      else if (!(error instanceof ApiError && error.code === "aborted")) this.fail(error);
    } finally {
      this.isLoading = false;
    }
  }

  /** @param {unknown} error */
  fail(error) {
    this.error = error instanceof ApiError ? error : null;
    if (this.error?.isPassing) void this.retryLater(this.error);
    if (this.account) this.showNotice();
    else {
      need(this, "#settings-error", HTMLElement).replaceChildren(problemPanel(error, () => {
        showView(this, "loading");
        void (session.state ? this.load() : session.load());
      }));
      showView(this, "error");
    }
  }

  // While the backend is away the page asks again by itself, ever less often.
  /** @param {ApiError} error */
  async retryLater(error) {
    this.failures += 1;
    if (this.isWaiting) return;
    this.isWaiting = true;
    await delay(retryPause(this.failures, error.retryAfterSeconds), this.lifetime.signal);
    this.isWaiting = false;
    if (!this.lifetime.signal.aborted && this.error && !this.isLoading && session.state) void this.load();
  }

  showAccount() {
    if (!this.account) return;
    showView(this, "ready");
    const lines = accountFacts(this.account).map(({ key, value, mono }) =>
      h(
        "div",
        {},
        h("dt", {}, t(key)),
        h(
          "dd",
          {},
          h("bdi", mono ? { class: "mono" } : {}, value),
          mono ? copyButton(() => value, t("copy.value", { name: t(key) })) : null,
        ),
      )
    );
    need(this, "#account-facts", HTMLElement).replaceChildren(...lines);
    this.showNotice();
  }

  // What is shown stays while the backend is away; the notice says how old it is.
  showNotice() {
    const notice = need(this, "#settings-notice", HTMLElement);
    const error = this.error ?? session.error ?? streamProblem();
    if (!this.account) return;
    const isCached = this.account?.source === "cache";
    notice.hidden = !error && !isCached;
    if (!error && !isCached) return;
    const asOf = t("state.as_of", { time: clockTime(this.asOf || session.asOf) });
    notice.replaceChildren(
      h("span", { class: "grow" }, `${error ? problemText(error) : t("state.cached")} ${asOf}`),
      h("button", { type: "button", class: "button button-small", onclick: () => void this.load() }, t("state.retry")),
    );
  }

  /** @param {string} method @param {string} path @param {unknown} body @param {string} done key of the sentence said after it */
  async act(method, path, body, done) {
    const result = need(this, path.includes("clock") ? "#clock-result" : "#session-result", HTMLElement);
    try {
      session.take(await call(method, path, { body: body ?? {} }));
      result.dataset.tone = "ok";
      result.textContent = t(done);
      announce(t(done));
      void this.load();
    } catch (error) {
      result.dataset.tone = "bad";
      result.textContent = problemText(error);
      announce(result.textContent);
      if (error instanceof ApiError && error.code === "signed_out") await session.load();
    }
    result.hidden = false;
  }

  /** @param {HTMLDialogElement} dialog */
  openSignOut(dialog) {
    need(dialog, "#sign-out-error", HTMLElement).textContent = "";
    need(dialog, "#sign-out-why", HTMLElement).textContent = t("settings.sign_out_why");
    delete dialog.dataset.discard;
    dialog.showModal();
  }

  /** @param {HTMLDialogElement} dialog */
  async signOut(dialog) {
    try {
      session.take(await call("POST", "/api/logout", { body: dialog.dataset.discard ? { discard: true } : {} }));
    } catch (error) {
      if (error instanceof ApiError && error.code === "unsynced_edits") {
        dialog.dataset.discard = "true";
        need(dialog, "#sign-out-why", HTMLElement).textContent = problemText(error);
      } else need(dialog, "#sign-out-error", HTMLElement).textContent = problemText(error);
    }
  }

  tick() {
    const state = session.state;
    if (!state) return;
    const now = Date.now();
    /** @param {string | undefined} instant */
    const countdown = (instant) => {
      const left = secondsUntil(instant, now);
      if (left === null) return "–";
      return left > 0
        ? t("session.in", { time: remaining(left), at: dateTime(instant) })
        : t("session.passed", { at: dateTime(instant) });
    };
    const reason = state.session.reason;
    const values = {
      since: dateTime(state.session.since),
      reason: reason ? reasonText(reason) : "–",
      access: countdown(state.session.access_expires_at),
      refresh: countdown(state.session.refresh_expires_at),
    };
    for (const [name, value] of Object.entries(values)) {
      const place = need(this, `[data-session="${name}"]`, HTMLElement);
      if (place.textContent !== value) place.textContent = value;
    }
    const line = need(this, '[data-line="reason"]', HTMLElement);
    line.hidden = !reason || state.session.state === "authenticated";
    const button = need(this, "#refresh-session", HTMLElement);
    if (isPressable(button) || state.session.state !== "refreshing") {
      setDisabled(button, state.session.state === "refreshing");
    }
  }
}

customElements.define("settings-view", SettingsView);
