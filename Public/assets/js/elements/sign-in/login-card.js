// @ts-check
import { ApiError, call, rememberAsked } from "../../api.js";
import { announce, busy, everySecond, isPressable, need, setDisabled, showView } from "../../helpers/dom.js";
import { remaining, t } from "../../helpers/i18n.js";
import { problemText, reasonText } from "../../helpers/problem-view.js";
import { codeLength, isSignedIn, offersCode, tellableReason } from "../../models/shell/console-state.js";
import { longestCooldown, restoreCooldown, secondsLeft, startCooldown } from "../../models/sign-in/cooldown.js";
import {
  attemptsLeft,
  isCodeLike,
  isIdentifierLike,
  readCodeInput,
  restorePending,
} from "../../models/sign-in/login.js";
import { pendingLoginKey, ready, session } from "../../page.js";

/** Sign-in in two steps: an identifier requests a message, and its code or link signs in. */
class LoginCard extends HTMLElement {
  #lifetime = new AbortController();
  /** @type {import("../../models/sign-in/login.js").PendingLogin | null} */
  #pending = null;
  /** @type {import("../../models/sign-in/cooldown.js").Cooldown | null} */
  #cooldown = null;
  /** The failure whose wait is counted under the field. @type {ApiError | null} */
  #waiting = null;
  #lastTried = "";
  #identifier = need(this, "#identifier", HTMLInputElement);
  #code = need(this, "#code", HTMLInputElement);

  async connectedCallback() {
    const { signal } = this.#lifetime;
    need(this, "#identify-form", HTMLFormElement).addEventListener("submit", (event) => {
      event.preventDefault();
      void this.#request("link", need(this, "#send-link", HTMLElement));
    }, { signal });
    this.#press("#send-code", (button) => this.#request("code", button));
    this.#press("#have-code", () => Promise.resolve(this.#haveCode()));
    this.#press("#resend", (button) => this.#request(this.#pending?.kind === "code" ? "code" : "link", button));
    this.#press("#use-another", () => Promise.resolve(this.#startOver()));
    this.#press("#foreign", (button) => busy(button, () => this.#follow(this.#lastTried, true)));
    need(this, "#verify-form", HTMLFormElement).addEventListener("submit", (event) => {
      event.preventDefault();
      void this.#verify();
    }, { signal });
    this.#identifier.addEventListener("input", () => {
      this.#waiting = null;
      this.#fault(this.#identifier, "");
    }, { signal });
    this.#code.addEventListener("input", () => this.#codeChanged(), { signal });
    this.#restore();
    await ready;
    session.addEventListener("change", () => this.#showState(), { signal });
    this.#showStep();
    this.#showState();
    everySecond(() => this.#tick(), signal);
  }

  disconnectedCallback() {
    this.#lifetime.abort();
  }

  /** @param {string} selector @param {(button: HTMLElement) => Promise<void>} work */
  #press(selector, work) {
    const button = need(this, selector, HTMLElement);
    button.addEventListener("click", () => void (isPressable(button) && work(button)), {
      signal: this.#lifetime.signal,
    });
  }

  #restore() {
    this.#pending = restorePending(sessionStorage.getItem(pendingLoginKey), Date.now());
    this.#cooldown = restoreCooldown(this.#pending?.cooldown, performance.now(), Date.now());
    if (this.#pending) this.#identifier.value = this.#pending.identifier;
    this.#showStep();
  }

  #keep() {
    if (this.#pending) {
      sessionStorage.setItem(pendingLoginKey, JSON.stringify({ ...this.#pending, cooldown: this.#cooldown }));
    } else sessionStorage.removeItem(pendingLoginKey);
  }

  #showState() {
    const state = session.state;
    if (state && isSignedIn(state)) {
      sessionStorage.removeItem(pendingLoginKey);
      this.#lifetime.abort();
      location.replace("/settings");
      return;
    }
    need(this, "#send-code", HTMLElement).hidden = !offersCode(state);
    need(this, "#open-inbox", HTMLElement).hidden = !state?.backend.embedded;
    const codes = offersCode(state);
    need(this, "#code-label", HTMLElement).textContent = t(codes ? "login.code_label" : "login.link_label");
    this.#code.inputMode = codes ? "numeric" : "url";
    const reason = state ? tellableReason(state.session) : null;
    const notice = need(this, "#login-notice", HTMLElement);
    notice.hidden = !session.error && !reason;
    notice.dataset.tone = session.error ? "bad" : "warn";
    if (session.error) notice.textContent = problemText(session.error);
    else if (reason) notice.textContent = reasonText(reason);
    if (!this.#cooldown && this.#pending && state) {
      const seconds = longestCooldown(state.cooldowns, Date.now());
      if (seconds) this.#cooldown = startCooldown(seconds, performance.now(), Date.now());
    }
  }

  #showStep() {
    showView(this, this.#pending ? "verify" : "identify");
    if (!this.#pending) return;
    const { masked, kind } = this.#pending;
    const both = kind === "link" && offersCode(session.state);
    need(this, "#sent-to", HTMLElement).textContent = t(`login.sent.${both ? "both" : kind}`, { to: masked });
  }

  /** @param {"link" | "code"} kind @param {HTMLElement} button */
  async #request(kind, button) {
    const identifier = (this.#pending?.identifier ?? this.#identifier.value).trim();
    if (!isPressable(button)) return;
    if (!this.#pending && (!isIdentifierLike(identifier) || identifier.length > 320)) {
      this.#fault(this.#identifier, t(identifier ? "error.invalid_identifier" : "login.identifier_missing"));
      return;
    }
    await busy(button, async () => {
      try {
        const path = kind === "link" ? "/api/login/magic-link" : "/api/login/code";
        const answer = await call("POST", path, { body: { identifier } });
        this.#cooldown = startCooldown(answer.cooldown_seconds, performance.now(), Date.now());
        const expiresAt = Date.now() + (Number(answer.expires_in_seconds) || 600) * 1000;
        this.#pending = {
          identifier,
          masked: answer.identifier_masked ?? "",
          kind,
          expiresAt,
          cooldown: this.#cooldown,
        };
        this.#keep();
        rememberAsked();
        this.#fault(this.#code, "");
        this.#code.value = "";
        this.#showStep();
        this.#code.focus();
        announce(need(this, "#sent-to", HTMLElement).textContent ?? "");
      } catch (error) {
        this.#requestFailed(error);
      }
    });
    this.#tick();
  }

  /** @param {unknown} error */
  #requestFailed(error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status === 429) {
      const seconds = error.retryAfterSeconds ??
        longestCooldown(error.retryAt ? [{ retry_at: error.retryAt }] : [], Date.now());
      this.#cooldown = startCooldown(seconds, performance.now(), Date.now());
      this.#waiting = error;
    }
    this.#fault(this.#pending ? this.#code : this.#identifier, problemText(error), !error.isPassing);
  }

  #haveCode() {
    const identifier = this.#identifier.value.trim();
    if (!isIdentifierLike(identifier)) {
      this.#fault(this.#identifier, t("login.identifier_missing"));
      return;
    }
    this.#pending = { identifier, masked: identifier, kind: "none", expiresAt: Date.now() + 600_000, cooldown: null };
    this.#keep();
    this.#showStep();
    this.#code.focus();
  }

  #startOver() {
    this.#pending = null;
    this.#keep();
    this.#fault(this.#code, "");
    this.#fault(this.#identifier, "");
    this.#showStep();
    this.#identifier.focus();
    this.#identifier.select();
  }

  #codeChanged() {
    this.#fault(this.#code, "");
    if (!offersCode(session.state) && !this.#code.value.includes("://")) return;
    const input = readCodeInput(this.#code.value, codeLength(session.state));
    if (input.kind === "code") {
      if (this.#code.value !== input.code && isCodeLike(this.#code.value)) this.#code.value = input.code;
      if (!input.complete) this.#lastTried = "";
      if (!input.complete || input.code === this.#lastTried) return;
    }
    void this.#verify();
  }

  async #verify() {
    const input = readCodeInput(this.#code.value, codeLength(session.state));
    if (input.kind === "code" && !input.complete) {
      this.#fault(this.#code, t("login.code_incomplete", { n: codeLength(session.state) }));
      return;
    }
    await busy(need(this, "#verify", HTMLElement), async () => {
      if (input.kind === "link") return this.#follow(input.url, false);
      this.#lastTried = input.code;
      try {
        const body = { identifier: this.#pending?.identifier ?? "", code: input.code };
        session.take(await call("POST", "/api/login/code/verify", { body }));
      } catch (error) {
        this.#codeFailed(error);
      }
    });
  }

  /** @param {unknown} error */
  #codeFailed(error) {
    let text = problemText(error);
    if (
      error instanceof ApiError && error.code === "login_code_invalid" && this.#pending && this.#pending.kind !== "none"
    ) {
      this.#pending.tries = (this.#pending.tries ?? 0) + 1;
      this.#keep();
      const left = attemptsLeft(session.state?.backend.embedded ?? false, this.#pending.tries);
      if (left !== null) text = left ? `${text} ${t("login.attempts_left", { n: left })}` : t("login.no_attempts");
    }
    this.#fault(this.#code, text, !(error instanceof ApiError && error.isPassing));
    this.#code.select();
  }

  /** @param {string} url @param {boolean} isForeignAccepted */
  async #follow(url, isForeignAccepted) {
    this.#lastTried = url;
    try {
      const body = { url, ...(isForeignAccepted ? { accept_foreign: true } : {}) };
      session.take(await call("POST", "/api/login/magic-link/complete", { body }));
    } catch (error) {
      const isForeign = error instanceof ApiError && error.status === 409;
      this.#fault(this.#code, isForeign ? t("callback.foreign") : problemText(error));
      need(this, "#foreign", HTMLElement).hidden = !isForeign;
    }
  }

  /**
   * Shows what is wrong with a field, or nothing.
   * @param {HTMLInputElement} field
   * @param {string} text
   * @param {boolean} [isItsOwn] whether the field itself is wrong
   */
  #fault(field, text, isItsOwn = true) {
    const place = need(this, `#${field.id}-error`, HTMLElement);
    if (place.textContent !== text) place.textContent = text;
    if (text && isItsOwn) field.setAttribute("aria-invalid", "true");
    else field.removeAttribute("aria-invalid");
    if (text) field.focus();
    if (field === this.#code && !text) need(this, "#foreign", HTMLElement).hidden = true;
  }

  #tick() {
    const left = secondsLeft(this.#cooldown, performance.now(), Date.now());
    const resend = need(this, "#resend", HTMLElement);
    const text = left > 0 ? t("login.resend_in", { time: remaining(left) }) : t("login.resend");
    if (resend.textContent !== text) resend.textContent = text;
    setDisabled(resend, left > 0);
    if (this.#waiting) {
      const field = this.#pending ? this.#code : this.#identifier;
      if (field) {
        need(this, `#${field.id}-error`, HTMLElement).textContent = left > 0 ? problemText(this.#waiting, left) : "";
      }
      if (left <= 0) {
        this.#waiting = null;
        field?.removeAttribute("aria-invalid");
        announce(t("login.may_send"));
      }
    }
    for (const id of ["#send-link", "#send-code"]) {
      setDisabled(need(this, id, HTMLElement), this.#waiting !== null && left > 0);
    }
  }
}

customElements.define("login-card", LoginCard);
