// @ts-check
import { ApiError, call, lazily } from "../../api.js";
import { copyButton } from "../../helpers/copy.js";
import { announce, busy, everySecond, fact, h, isPressable, need, setDisabled, showDone, showView } from "../../helpers/dom.js";
import { currentWords, dateTime, remaining, t } from "../../helpers/i18n.js";
import { Loader } from "../common/loader.js";
import { say } from "../common/notice.js";
import { holdButton, problemText, reasonText, rowLink } from "../common/problem-view.js";
import { accountFacts, hasFeature, profileFacts, secondsUntil } from "../../models/account/account-facts.js";
import { lacks } from "../../models/shell/console-state.js";
import { LiveElement, loadWords, ready, session } from "../../page.js";
import { AccountPreferences } from "./account-preferences.js";

const showHidden = lazily(() => import("./hidden-settings.js"), "showHidden");
const hiddenText = lazily(() => import("../common/why-hidden.js"), "hiddenText");

/** @typedef {import("../../models/account/account-facts.js").Account} Account */

/** The account and session of the device, with a person's actions on them. */
class SettingsView extends LiveElement {
  /** @type {Loader<Account> | null} */
  #loader = null;

  async connectedCallback() {
    const { signal } = this;
    showView(this, "loading");
    const refresh = need(this, "#refresh-session", HTMLElement);
    this.#pressed(refresh, () => this.#refresh(refresh));
    const dialog = need(this, "#sign-out-dialog", HTMLDialogElement);
    need(this, "#sign-out", HTMLElement).addEventListener("click", () => void this.#openSignOut(dialog), { signal });
    need(this, "#keep-session", HTMLElement).addEventListener("click", () => dialog.close(), { signal });
    this.#pressed(need(this, "#confirm-sign-out", HTMLElement), () => this.#signOut(dialog));
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

  /** @param {Element} button @param {() => Promise<void>} work */
  #pressed(button, work) {
    button.addEventListener("click", () => void busy(button, work), { signal: this.signal });
  }

  #showState() {
    const state = session.state;
    if (!state) return;
    const chip = need(this, "#session-state", HTMLElement);
    chip.textContent = t(`session.${state.session.state}`);
    if (state.session.reason) void loadWords("errors").then(() => this.#tick());
    if (state.config?.by_file) void showHidden(this, state);
    chip.dataset.tone = { authenticated: "ok", refreshing: "info", error: "warn", signed_out: "" }[state.session.state];
    this.#tick();
  }

  /** @param {Account} account */
  show(account) {
    showView(this, "ready");
    need(this, "#account-facts", HTMLElement).replaceChildren(...factLines(accountFacts(account)));
    need(this, "#profile-facts", HTMLElement).replaceChildren(...factLines(profileFacts(account)));
    need(this, "account-preferences", AccountPreferences).show(account);
    void this.#showDeletion(account);
    if (session.state?.config?.by_file) void showHidden(this, session.state);
    const scheduled = need(this, "#deletion-scheduled", HTMLElement);
    scheduled.hidden = !account.user.deletion_scheduled_for;
    scheduled.textContent = t("settings.deletion_scheduled", { date: dateTime(account.user.deletion_scheduled_for) });
  }

  /** @param {Account} account */
  async #showDeletion(account) {
    const isLacking = lacks(session.state, "deletion");
    const offers = !isLacking && hasFeature(account, "account_deletion");
    need(this, "#delete-account", HTMLElement).hidden = !offers;
    const why = isLacking ? await hiddenText("deletion") : t(offers ? "settings.delete_lead" : "settings.delete_off");
    need(this, "#delete-why", HTMLElement).textContent = why;
  }

  /** @param {HTMLElement} button */
  async #refresh(button) {
    const result = need(this, "#session-result", HTMLElement);
    try {
      session.take(await call("POST", "/api/session/refresh", { body: {} }));
      say(result, "ok", t("settings.refreshed"));
      showDone(button);
      void this.#loader?.load();
    } catch (error) {
      say(result, "bad", problemText(error), rowLink(error));
      if (!(error instanceof ApiError)) throw error;
      if (error.retryAfterSeconds) holdButton(button, error.retryAfterSeconds, this.signal);
      if (error.code === "signed_out") await session.load();
    }
  }

  /** @param {HTMLDialogElement} dialog */
  async #openSignOut(dialog) {
    const isLocal = lacks(session.state, "logout");
    // Signing out must not depend on the words.
    if (isLocal) await loadWords("offer").catch(() => {});
    need(dialog, "#sign-out-error", HTMLElement).textContent = "";
    need(dialog, "#sign-out-why", HTMLElement).textContent = !isLocal
      ? t("settings.sign_out_why")
      : currentWords().has("offer.sign_out")
      ? t("offer.sign_out")
      : "";
    this.#offerDiscard(dialog, false);
    dialog.showModal();
  }

  /** Signing out loses nothing, unless moves that were not sent are discarded. @param {HTMLDialogElement} dialog @param {boolean} isOn */
  #offerDiscard(dialog, isOn) {
    const confirm = need(dialog, "#confirm-sign-out", HTMLElement);
    confirm.textContent = t(isOn ? "settings.discard" : "settings.sign_out");
    confirm.classList.toggle("button-danger", isOn);
    if (isOn) dialog.dataset.discard = "true";
    else delete dialog.dataset.discard;
  }

  /** @param {HTMLDialogElement} dialog */
  async #signOut(dialog) {
    try {
      session.take(await call("POST", "/api/logout", { body: dialog.dataset.discard ? { discard: true } : {} }));
    } catch (error) {
      if (error instanceof ApiError && error.code === "unsynced_edits") {
        this.#offerDiscard(dialog, true);
        need(dialog, "#sign-out-why", HTMLElement).textContent = problemText(error);
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
      refreshed: dateTime(state.session.tokens_issued_at ?? state.session.since),
      reason: reason && currentWords().has("reason.other") ? reasonText(reason) : "–",
      access: countdown(state.session.access_expires_at),
      refresh: countdown(state.session.refresh_expires_at),
    };
    for (const [name, value] of Object.entries(values)) {
      const place = need(this, `[data-session="${name}"]`, HTMLElement);
      if (place.textContent !== value) place.textContent = value;
    }
    // A backend may send no expiry, and no token that refreshes another.
    for (const name of /** @type {const} */ (["access", "refresh"])) {
      need(this, `[data-line="${name}"]`, HTMLElement).hidden = !state.session[`${name}_expires_at`];
    }
    const line = need(this, '[data-line="reason"]', HTMLElement);
    line.hidden = !reason || state.session.state === "authenticated";
    const button = need(this, "#refresh-session", HTMLElement);
    if (button.dataset.held === undefined && (isPressable(button) || state.session.state !== "refreshing")) {
      setDisabled(button, state.session.state === "refreshing");
    }
  }
}

/**
 * Facts as lines of a definition list; an id gets a button that copies it.
 * @param {import("../../models/account/account-facts.js").Fact[]} facts
 */
const factLines = (facts) =>
  facts.map(({ key, value, mono, secret }) =>
    fact(
      t(key),
      h("bdi", { class: mono ? "mono" : null, "data-secret": secret }, value),
      mono ? copyButton(() => value, t("copy.value", { name: t(key) })) : null,
    )
  );

customElements.define("settings-view", SettingsView);
