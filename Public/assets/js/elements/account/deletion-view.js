// @ts-check
import { ApiError, call, lazily } from "../../api.js";
import { announce, busy, isPressable, need, setDisabled, showView } from "../../helpers/dom.js";
import { dateTime, t } from "../../helpers/i18n.js";
import { Loader } from "../common/loader.js";
import { holdButton, problemText } from "../common/problem-view.js";
import { hasFeature, isConfirmed } from "../../models/account/account-facts.js";
import { lacks } from "../../models/shell/console-state.js";
import { LiveElement, ready, session } from "../../page.js";

const hiddenText = lazily(() => import("../common/why-hidden.js"), "hiddenText");

/** @typedef {import("../../models/account/account-facts.js").Account} Account */

/** The account's deletion: the data to delete, a typed confirmation, and the outcome, even if the response was lost. */
class DeletionView extends LiveElement {
  /** @type {Loader<Account> | null} */
  #loader = null;
  /** Whether a request was sent; from then on, the page shows its outcome and does not leave by itself. */
  #isSent = false;

  async connectedCallback() {
    const { signal } = this;
    showView(this, "loading");
    need(this, "#open-deletion", HTMLElement).addEventListener("click", () => this.open(), { signal });
    need(this, "#keep-account", HTMLElement).addEventListener("click", () => this.#dialog.close(), { signal });
    // While the request is under way, its outcome is unknown, so the dialog cannot be left.
    this.#dialog.addEventListener("cancel", (event) => {
      if (this.#dialog.getAttribute("aria-busy") === "true") event.preventDefault();
    }, { signal });
    need(this, "#deletion-form", HTMLFormElement).addEventListener("submit", (event) => {
      event.preventDefault();
      this.#confirm();
    }, { signal });
    this.#word.addEventListener("input", () => this.#wordChanged(), { signal });
    const again = need(this, "#ask-again", HTMLElement);
    again.addEventListener("click", () => void busy(again, () => this.#send(again)), { signal });
    const check = need(this, "#check-account", HTMLElement);
    check.addEventListener("click", () => void busy(check, () => this.#check()), { signal });
    await ready;
    this.#loader = new Loader(this, {
      read: (given) => call("GET", "/api/account", { signal: given }),
      show: (account) => this.show(account),
      isCached: (account) => account.source === "cache",
      leavesAtSignOut: () => !this.#isSent,
    }, signal);
    this.#loader.start();
  }

  get #dialog() {
    return need(this, "#deletion-dialog", HTMLDialogElement);
  }

  get #word() {
    return need(this, "#deletion-word", HTMLInputElement);
  }

  get #button() {
    return need(this, "#confirm-deletion", HTMLElement);
  }

  get #isConfirmed() {
    return isConfirmed(this.#word.value, t("deletion.word"));
  }

  /** @param {Account} account */
  show(account) {
    if (this.#isSent) return;
    const scheduled = account.user.deletion_scheduled_for;
    need(this, "#what-profiles", HTMLElement).textContent = t("deletion.what_profiles", {
      n: account.profiles?.length ?? 1,
    });
    need(this, "#deletion-label", HTMLElement).textContent = t("deletion.confirm_label", { word: t("deletion.word") });
    // Only the embedded backend's time of grace is known here.
    const grace = session.state?.backend.embedded ? "two_weeks" : "some_time";
    need(this, "#deletion-when", HTMLElement).textContent = t(`deletion.when.${grace}`);
    need(this, "#deletion-why", HTMLElement).textContent = t(`deletion.why.${grace}`);
    if (scheduled) this.#showDone("scheduled", scheduled);
    else if (lacks(session.state, "deletion")) void this.#showHidden();
    else showView(this, hasFeature(account, "account_deletion") ? "ready" : "off");
  }

  /** Explains why the backend cannot delete accounts. */
  async #showHidden() {
    need(this, "#off-why", HTMLElement).textContent = await hiddenText("deletion").catch(() => "");
    showView(this, "off");
  }

  open() {
    this.#word.value = "";
    this.#wordChanged();
    this.#dialog.showModal();
    need(this, "#keep-account", HTMLElement).focus();
  }

  /** The button opens with the right word and closes with any other. */
  #wordChanged() {
    this.#fault("");
    if (this.#button.dataset.held === undefined) setDisabled(this.#button, !this.#isConfirmed);
  }

  #confirm() {
    if (!this.#word.value.trim()) this.#fault(t("deletion.missing"));
    else if (!this.#isConfirmed) this.#fault(t("error.confirmation_mismatch"));
    else if (isPressable(this.#button)) void busy(this.#button, () => this.#send(this.#button));
  }

  /** @param {HTMLElement} button */
  async #send(button) {
    this.#dialog.setAttribute("aria-busy", "true");
    announce(t("deletion.working"));
    this.#isSent = true;
    try {
      const { scheduled_for: date } = await call("POST", "/api/account/deletion", {
        body: { confirmation: "DELETE" },
      });
      this.#dialog.close();
      this.#showDone("done", date);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      await this.#failed(error, button);
    } finally {
      this.#dialog.removeAttribute("aria-busy");
    }
  }

  /** @param {ApiError} error @param {HTMLElement} button */
  async #failed(error, button) {
    // A request that may have reached the backend may have been carried out, so the page does not call it a failure. The device
    // has the outcome; without the console, it is unknown.
    if (error.status >= 500) await session.load();
    if (error.status === 0 || session.error || (error.status >= 500 && session.state?.deletion)) {
      this.#dialog.close();
      need(this, "#unknown-why", HTMLElement).textContent = problemText(error);
      showView(this, "unknown");
      need(this, "#ask-again", HTMLElement).focus();
      announce(t("deletion.unknown_title"));
      return;
    }
    this.#isSent = false;
    if (error.code === "signed_out" || error.code === "session_ended") {
      void session.load();
      return;
    }
    if (error.code === "feature_disabled") {
      this.#dialog.close();
      showView(this, "off");
      return;
    }
    if (error.retryAfterSeconds) holdButton(button, error.retryAfterSeconds, this.signal);
    if (this.#dialog.open) this.#fault(problemText(error));
    else need(this, "#unknown-why", HTMLElement).textContent = problemText(error);
  }

  async #check() {
    const why = need(this, "#unknown-why", HTMLElement);
    try {
      const account = /** @type {Account} */ (await call("GET", "/api/account"));
      const date = account.user.deletion_scheduled_for;
      if (date) this.#showDone("scheduled", date);
      else why.textContent = account.source === "cache" ? t("state.cached") : t("deletion.not_scheduled");
    } catch (error) {
      const isOver = error instanceof ApiError && (error.code === "signed_out" || error.code === "session_ended");
      if (isOver) location.replace("/login");
      else why.textContent = problemText(error);
    }
    announce(why.textContent ?? "");
  }

  /** @param {"done" | "scheduled"} view @param {string | undefined} date Missing if the backend sends no date. */
  #showDone(view, date) {
    const place = need(this, `#${view}-text`, HTMLElement);
    place.textContent = date ? t(`deletion.${view}`, { date: dateTime(date) }) : t("deletion.done_undated");
    showView(this, view);
    if (view === "done") need(this, "#done-title", HTMLElement).focus();
    announce(place.textContent);
  }

  /** @param {string} text */
  #fault(text) {
    const place = need(this, "#deletion-error", HTMLElement);
    place.textContent = text;
    if (text) {
      this.#word.setAttribute("aria-invalid", "true");
      this.#word.focus();
    } else this.#word.removeAttribute("aria-invalid");
  }
}

customElements.define("deletion-view", DeletionView);
