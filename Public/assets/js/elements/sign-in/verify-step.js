// @ts-check
import { ApiError, call, once } from "../../api.js";
import { events } from "../../events.js";
import { announce, busy, need } from "../../helpers/dom.js";
import { t } from "../../helpers/i18n.js";
import { problemText } from "../common/problem-view.js";
import { codeLength, offersCode } from "../../models/shell/console-state.js";
import { attemptsLeft, isCodeLike, readCodeInput } from "../../models/sign-in/code-input.js";
import { isSentTo } from "../../models/sign-in/login.js";
import { loadWords, session } from "../../page.js";
import { readMessage, takeChosen } from "../common/chosen-message.js";
import { fieldFault } from "../../helpers/fields.js";

/** @typedef {import("../../models/sign-in/login.js").PendingLogin} PendingLogin */

const offers = once(() => import("./message-offer.js"));

/** The second step of signing in: a code or a link that is typed, pasted, or taken from the message that arrived. */
export class VerifyStep {
  /** The sign-in that waits for its code. @type {PendingLogin | null} */
  pending = null;
  #card;
  #keep;
  #code;
  /** The code or link that was sent last. */
  #lastTried = "";
  /** The last code that the console rejected. Sending it again would only use up an attempt. */
  #refused = "";
  /** Whether the message that arrives is used at once. */
  takesMessage = false;
  /** The message whose code was pressed in the inbox. */
  #chosen = takeChosen();
  /** Only the embedded backend's messages can be read. @type {import("./message-offer.js").MessageOffer | null} */
  #offer = null;

  /** @param {HTMLElement} card @param {() => void} keep stores the pending sign-in @param {AbortSignal} signal */
  constructor(card, keep, signal) {
    this.#card = card;
    this.#keep = keep;
    this.#code = need(card, "#code", HTMLInputElement);
    need(card, "#verify-form", HTMLFormElement).addEventListener("submit", (event) => {
      event.preventDefault();
      void this.#verify();
    }, { signal });
    this.#code.addEventListener("input", () => this.#codeChanged(), { signal });
    this.#foreign.addEventListener("click", () => {
      void busy(this.#foreign, () => this.#follow(this.#lastTried, true));
    }, { signal });
    for (const name of ["inbox", "gap"]) events.addEventListener(name, () => void this.lookForMessage(), { signal });
  }

  get #foreign() {
    return need(this.#card, "#foreign", HTMLElement);
  }

  /** Starts clean with a sign-in that waits for its code. @param {PendingLogin | null} pending */
  begin(pending) {
    this.pending = pending;
    this.fault("");
    this.#refused = "";
    this.#code.value = "";
  }

  /** Ends the step without a sign-in. */
  end() {
    this.takesMessage = false;
    this.begin(null);
    this.#offer?.forget();
  }

  /**
   * Shows the error of the code, if any.
   * @param {string} text
   * @param {boolean} [isItsOwn] whether the code itself is wrong
   */
  fault(text, isItsOwn = true) {
    fieldFault(this.#code, text, isItsOwn);
    if (!text) this.#foreign.hidden = true;
  }

  /** Offers the message that arrived for this sign-in. */
  async lookForMessage() {
    const typed = this.pending?.identifier;
    if (!typed || !session.state?.backend.embedded) return;
    // If the console is away, the next search loads it again.
    const loaded = await offers().catch(() => null);
    if (!loaded) return;
    this.#offer ??= new loaded.MessageOffer(need(this.#card, "#offer", HTMLElement), {
      useCode: (code) => this.#useCode(code),
      openLink: (url) => this.#follow(url, false),
    });
    await this.#offer.offerNewest(typed);
    if (this.takesMessage && this.#offer.message) {
      this.takesMessage = false;
      return this.#offer.use();
    }
    const id = this.#chosen;
    this.#chosen = null;
    const chosen = id ? await readMessage(id) : null;
    if (chosen?.code && isSentTo(chosen.to, typed)) await this.#useCode(chosen.code);
  }

  /** @param {string} code */
  async #useCode(code) {
    this.#code.value = code;
    await this.#verify();
  }

  #codeChanged() {
    this.fault("");
    if (!offersCode(session.state) && !this.#code.value.includes("://")) return;
    const input = readCodeInput(this.#code.value, codeLength(session.state));
    if (input.kind === "code") {
      if (this.#code.value !== input.code && isCodeLike(this.#code.value)) this.#code.value = input.code;
      if (!input.complete) this.#lastTried = this.#refused = "";
      if (!input.complete || input.code === this.#lastTried) return;
    } else if (!/token=[^&\s]{8}/.test(input.url)) return;
    void this.#verify();
  }

  /** @returns {Promise<void>} */
  async #verify() {
    const input = readCodeInput(this.#code.value, codeLength(session.state));
    if (input.kind === "code" && !offersCode(session.state)) {
      await loadWords("errors").catch(() => {});
      return this.fault(t("error.link_malformed"));
    }
    if (input.kind === "code" && !input.complete) {
      return this.fault(t("login.code_incomplete", { n: codeLength(session.state) }));
    }
    if (this.#refused === (input.kind === "link" ? input.url : input.code)) {
      this.fault(t("login.already_refused"));
      announce(t("login.already_refused"));
      this.#code.select();
      return;
    }
    await busy(need(this.#card, "#verify", HTMLElement), async () => {
      if (input.kind === "link") await this.#follow(input.url, false);
      else await this.#redeem(input.code);
    });
    // Another code may have been typed while this one was checked.
    const typed = readCodeInput(this.#code.value, codeLength(session.state));
    const isNew = input.kind === "code" && typed.kind === "code" && typed.complete && typed.code !== input.code;
    if (isNew && this.#lastTried === input.code) await this.#verify();
  }

  /** @param {string} code */
  async #redeem(code) {
    this.#lastTried = code;
    try {
      const body = { identifier: this.pending?.identifier ?? "", code };
      session.take(await call("POST", "/api/login/code/verify", { body }));
    } catch (error) {
      this.#codeFailed(error, code);
    }
  }

  /** @param {unknown} error @param {string} code */
  #codeFailed(error, code) {
    let text = problemText(error);
    if (error instanceof ApiError && error.code === "login_code_invalid") {
      this.#refused = code;
      const left = this.#countAttempt();
      if (left === 0) this.#offer?.withdraw();
      if (left !== null) text = left ? `${text} ${t("login.attempts_left", { n: left })}` : t("login.no_attempts");
    }
    this.fault(text, !(error instanceof ApiError && error.isPassing));
    this.#code.select();
  }

  /** Counts a rejected code. @returns {number | null} how many attempts are left, or null if only the backend counts them */
  #countAttempt() {
    if (!this.pending || this.pending.kind === "none") return null;
    this.pending.tries = (this.pending.tries ?? 0) + 1;
    this.#keep();
    return attemptsLeft(session.state?.backend.embedded ?? false, this.pending.tries);
  }

  /** @param {string} url @param {boolean} isForeignAccepted */
  async #follow(url, isForeignAccepted) {
    this.#lastTried = url;
    try {
      const body = { url, ...(isForeignAccepted ? { accept_foreign: true } : {}) };
      session.take(await call("POST", "/api/login/magic-link/complete", { body }));
    } catch (error) {
      const isForeign = error instanceof ApiError && error.status === 409;
      if (error instanceof ApiError && !error.isPassing && !isForeign) this.#refused = url;
      this.fault(isForeign ? t(/[&#?]state=/.test(url) ? "callback.foreign" : "callback.no_state") : problemText(error));
      this.#foreign.hidden = !isForeign;
    }
  }
}
