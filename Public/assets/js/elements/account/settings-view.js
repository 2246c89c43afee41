// @ts-check
import { ApiError, call } from "../../api.js";
import { announce, busy, everySecond, h, isPressable, need, setDisabled, showView } from "../../helpers/dom.js";
import { copyButton } from "../../helpers/copy.js";
import { dateTime, remaining, t } from "../../helpers/i18n.js";
import { Loader } from "../../helpers/loader.js";
import { holdButton, problemText, reasonText } from "../../helpers/problem-view.js";
import { accountFacts, hasFeature, secondsUntil } from "../../models/account/account-facts.js";
import { ready, session } from "../../page.js";
import { AccountPreferences } from "./account-preferences.js";

/** @typedef {import("../../models/account/account-facts.js").Account} Account */

/** The account and session of the device, with what a person does to them. */
class SettingsView extends HTMLElement {
  #lifetime = new AbortController();
  /** @type {Loader<Account> | null} */
  #loader = null;

  async connectedCallback() {
    const { signal } = this.#lifetime;
    showView(this, "loading");
    this.#press("#refresh-session", () => this.#act("POST", "/api/session/refresh", undefined, "settings.refreshed"));
    for (const button of this.querySelectorAll("[data-advance]")) {
      const seconds = Number(button.getAttribute("data-advance"));
      const body = seconds ? { advance_seconds: seconds } : { reset: true };
      this.#pressed(
        button,
        () => this.#act("POST", "/api/backend/clock", body, seconds ? "settings.clock_moved" : "settings.clock_reset"),
      );
    }
    const dialog = need(this, "#sign-out-dialog", HTMLDialogElement);
    need(this, "#sign-out", HTMLElement).addEventListener("click", () => this.#openSignOut(dialog), { signal });
    need(this, "#keep-session", HTMLElement).addEventListener("click", () => dialog.close(), { signal });
    this.#press("#confirm-sign-out", () => this.#signOut(dialog));
    await ready;
    this.#loader = new Loader(this, {
      read: (given) => call("GET", "/api/account", { signal: given }),
      show: (account) => this.show(account),
      isCached: (account) => account.source === "cache",
    }, signal);
    const preferences = need(this, "account-preferences", AccountPreferences);
    preferences.changed = (account) => this.#loader?.take(account);
    session.addEventListener("change", () => this.#showState(), { signal });
    this.#loader.start();
    this.#showState();
    everySecond(() => this.#tick(), signal);
    // If this analytics event is lost, nothing else breaks.
    void call("POST", "/api/analytics", { body: { name: "settings.opened" }, signal }).catch(() => {});
  }

  disconnectedCallback() {
    this.#lifetime.abort();
  }

  /** @param {string} selector @param {() => Promise<void>} work */
  #press(selector, work) {
    this.#pressed(need(this, selector, HTMLElement), work);
  }

  /** @param {Element} button @param {() => Promise<void>} work */
  #pressed(button, work) {
    button.addEventListener("click", () => void busy(button, work), { signal: this.#lifetime.signal });
  }

  #showState() {
    const state = session.state;
    if (!state) return;
    need(this, "#clock-card", HTMLElement).hidden = !state.backend.embedded;
    const chip = need(this, "#session-state", HTMLElement);
    chip.textContent = t(`session.${state.session.state}`);
    chip.dataset.tone = { authenticated: "ok", refreshing: "info", error: "warn", signed_out: "" }[state.session.state];
    this.#tick();
  }

  /** @param {Account} account */
  show(account) {
    showView(this, "ready");
    const lines = accountFacts(account).map(({ key, value, mono, secret }) =>
      h(
        "div",
        {},
        h("dt", {}, t(key)),
        h(
          "dd",
          {},
          h("bdi", { class: mono ? "mono" : null, "data-secret": secret }, value),
          mono ? copyButton(() => value, t("copy.value", { name: t(key) })) : null,
        ),
      )
    );
    need(this, "#account-facts", HTMLElement).replaceChildren(...lines);
    need(this, "account-preferences", AccountPreferences).show(account);
    const offers = hasFeature(account, "account_deletion");
    need(this, "#delete-account", HTMLElement).hidden = !offers;
    need(this, "#delete-why", HTMLElement).textContent = t(offers ? "settings.delete_lead" : "settings.delete_off");
    const scheduled = need(this, "#deletion-scheduled", HTMLElement);
    scheduled.hidden = !account.user.deletion_scheduled_for;
    scheduled.textContent = t("settings.deletion_scheduled", { date: dateTime(account.user.deletion_scheduled_for) });
  }

  /** @param {string} method @param {string} path @param {unknown} body @param {string} done key of the sentence said after it */
  async #act(method, path, body, done) {
    const isClock = path.includes("clock");
    const result = need(this, isClock ? "#clock-result" : "#session-result", HTMLElement);
    try {
      session.take(await call(method, path, { body: body ?? {} }));
      result.dataset.tone = "ok";
      result.textContent = t(done);
      announce(t(done));
      void this.#loader?.load();
    } catch (error) {
      result.dataset.tone = "bad";
      result.textContent = problemText(error);
      announce(result.textContent);
      const wait = error instanceof ApiError ? error.retryAfterSeconds : undefined;
      if (wait && !isClock) holdButton(need(this, "#refresh-session", HTMLElement), wait, this.#lifetime.signal);
      if (error instanceof ApiError && error.code === "signed_out") await session.load();
    }
    result.hidden = false;
  }

  /** @param {HTMLDialogElement} dialog */
  #openSignOut(dialog) {
    need(dialog, "#sign-out-error", HTMLElement).textContent = "";
    need(dialog, "#sign-out-why", HTMLElement).textContent = t("settings.sign_out_why");
    need(dialog, "#confirm-sign-out", HTMLElement).textContent = t("settings.sign_out");
    delete dialog.dataset.discard;
    dialog.showModal();
  }

  /** @param {HTMLDialogElement} dialog */
  async #signOut(dialog) {
    try {
      session.take(await call("POST", "/api/logout", { body: dialog.dataset.discard ? { discard: true } : {} }));
    } catch (error) {
      if (error instanceof ApiError && error.code === "unsynced_edits") {
        dialog.dataset.discard = "true";
        need(dialog, "#sign-out-why", HTMLElement).textContent = problemText(error);
        need(dialog, "#confirm-sign-out", HTMLElement).textContent = t("settings.discard");
        announce(problemText(error));
      } else need(dialog, "#sign-out-error", HTMLElement).textContent = problemText(error);
    }
  }

  #tick() {
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
    if (button.dataset.held === undefined && (isPressable(button) || state.session.state !== "refreshing")) {
      setDisabled(button, state.session.state === "refreshing");
    }
  }
}

customElements.define("settings-view", SettingsView);
