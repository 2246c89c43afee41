// @ts-check
import { ApiError, call, lazily, once } from "../../api.js";
import { announce, busy, everySecond, h, isPressable, need, setDisabled, showView } from "../../helpers/dom.js";
import { remaining, t } from "../../helpers/i18n.js";
import { endOf, problemText } from "../common/problem-view.js";
import { isSignedIn, offersCode, unexpectedEndReason } from "../../models/shell/console-state.js";
import { longestCooldown, restoreCooldown, secondsLeft, startCooldown } from "../../models/sign-in/cooldown.js";
import { isIdentifierLike, restorePending, testIdentifier } from "../../models/sign-in/login.js";
import { leaveSignIn, LiveElement, loadWords, pendingLoginKey, ready, rememberAsked, session } from "../../page.js";
import { fieldFault } from "../../helpers/fields.js";
import { VerifyStep } from "./verify-step.js";

const offered = once(() => import("./offered-sign-in.js"));
const connecting = once(() => import("./connect-backend.js"));
const covering = once(() => import("../../helpers/covered.js"));
const causeOf = lazily(() => import("../common/session-cause.js"), "causeOf");

/** @typedef {import("../../models/sign-in/login.js").PendingLogin} PendingLogin */

/**
 * Sign-in in two steps: an identifier requests a message, and its code or link signs in. A test account takes both by one press.
 */
class LoginCard extends LiveElement {
  /** @type {import("../../models/sign-in/cooldown.js").Cooldown | null} */
  #cooldown = null;
  /** The failure whose wait is counted under the field. @type {ApiError | null} */
  #waiting = null;
  #identifier = need(this, "#identifier", HTMLInputElement);
  #code = need(this, "#code", HTMLInputElement);
  /** @type {PendingLogin | null} */
  #pending = null;
  /** The end of the session in the notice. */
  #end = "";
  /** The second step, once it was needed. @type {VerifyStep | null} */
  #step = null;

  async connectedCallback() {
    const { signal } = this;
    need(this, "#identify-form", HTMLFormElement).addEventListener("submit", (event) => {
      event.preventDefault();
      void this.#request("link", need(this, "#send-link", HTMLElement));
    }, { signal });
    this.#press("#send-code", (button) => this.#request("code", button));
    this.#press("#test-account", (button) => this.#useTestAccount(button));
    this.#press("#connect", (button) => busy(button, async () => (await connecting()).openConnecting()));
    this.#press("#have-code", () => Promise.resolve(this.#haveCode()));
    this.#press("#resend", (button) => this.#request(this.#pending?.kind === "code" ? "code" : "link", button));
    this.#press("#use-another", () => Promise.resolve(this.#startOver()));
    this.#identifier.addEventListener("input", () => {
      this.#waiting = null;
      fieldFault(this.#identifier, "");
    }, { signal });
    this.#restore();
    await ready;
    session.addEventListener("change", () => this.#showState(), { signal });
    this.#showStep();
    this.#showState();
    if (!this.#pending && document.activeElement === document.body) this.#identifier.focus();
    everySecond(() => this.#tick(), signal);
  }

  #verifyStep() {
    return this.#step ??= new VerifyStep(this, () => this.#keep(), this.signal);
  }

  /** @param {string} selector @param {(button: HTMLElement) => Promise<void>} work */
  #press(selector, work) {
    const button = need(this, selector, HTMLElement);
    button.addEventListener("click", () => void (isPressable(button) && work(button)), {
      signal: this.signal,
    });
  }

  #restore() {
    this.#pending = restorePending(sessionStorage.getItem(pendingLoginKey), Date.now());
    if (this.#pending?.isOffered) this.#pending = null;
    this.#cooldown = restoreCooldown(this.#pending?.cooldown, performance.now(), Date.now());
    if (!this.#pending) return;
    this.#identifier.value = this.#pending.identifier;
    this.#verifyStep().pending = this.#pending;
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
      this.stop();
      void leaveSignIn();
      return;
    }
    const codes = offersCode(state);
    need(this, "#send-code", HTMLElement).hidden = !codes;
    need(this, "#have-code", HTMLElement).textContent = t(codes ? "login.have_code" : "login.have_link");
    // Only the embedded backend's messages can be read, and only who has no other backend looks for one.
    for (const id of ["#test-account", "#open-inbox"]) need(this, id, HTMLElement).hidden = !state?.backend.embedded;
    // A person who signs in to a team's console did not start it.
    need(this, "#connect", HTMLElement).hidden = !state?.backend.embedded || state.persons === true;
    need(this, "#code-label", HTMLElement).textContent = t(codes ? "login.code_label" : "login.link_label");
    this.#code.inputMode = codes ? "numeric" : "url";
    const ended = state && unexpectedEndReason(state.session) ? state.session : null;
    const notice = need(this, "#login-notice", HTMLElement);
    notice.hidden = !ended;
    if (ended) {
      const names = ended.fault ? covering().catch(() => null) : null;
      void Promise.all([names, loadWords("errors"), ended.fault && loadWords("faults").catch(() => {})]).then(([cover]) => {
        const { text, link } = endOf(ended);
        // A focused link keeps the focus.
        const end = `${ended.since} ${text} ${link?.href}`;
        if (this.#end === end) return;
        this.#end = end;
        const secret = ended.fault && !cover ? "" : null;
        const said = h("span", { class: "grow", "data-secret": secret }, ...(cover?.covered(text) ?? [text]));
        notice.replaceChildren(said, link ?? "");
        // An end by a fault rule has a known cause.
        if (!ended.fault) void causeOf(ended).then((cause) => cause && said.append(" ", cause)).catch(() => {});
      });
    }
    const problem = need(this, "#login-problem", HTMLElement);
    problem.hidden = !session.error;
    if (session.error) problem.textContent = problemText(session.error);
    if (!this.#cooldown && this.#pending && state) {
      const seconds = longestCooldown(state.cooldowns, Date.now());
      if (seconds) this.#cooldown = startCooldown(seconds, performance.now(), Date.now());
    }
    void this.#step?.lookForMessage();
    if (state?.config?.by_file) void this.#showOffered();
  }

  /** Puts the fields that a backend file asks for in the place of the built-in backend's, once. */
  async #showOffered() {
    const [loaded] = await Promise.all([offered(), loadWords("offer")]);
    if (this.signal.aborted || this.querySelector("offered-sign-in")) return;
    const element = new loaded.OfferedSignIn();
    element.className = "stack";
    element.dataset.view = "offered";
    need(this, "#verify-form", HTMLElement).after(element);
    const hadFocus = this.contains(document.activeElement) || document.activeElement === document.body;
    showView(this, "offered");
    if (hadFocus) element.enter();
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
      fieldFault(this.#identifier, t(identifier ? "error.invalid_identifier" : "login.identifier_missing"));
      return;
    }
    await busy(button, async () => {
      try {
        const path = kind === "link" ? "/api/login/magic-link" : "/api/login/code";
        const answer = await call("POST", path, { body: { identifier } });
        this.#cooldown = startCooldown(answer.cooldown_seconds, performance.now(), Date.now());
        const expiresAt = Date.now() + (Number(answer.expires_in_seconds) || 600) * 1000;
        const masked = answer.identifier_masked ?? "";
        this.#await({ identifier, masked, kind, expiresAt, cooldown: this.#cooldown });
        rememberAsked();
        announce(need(this, "#sent-to", HTMLElement).textContent ?? "");
      } catch (error) {
        this.#requestFailed(error);
      }
    });
    this.#tick();
  }

  /** Signs in to a new account by the message that the backend sends for it. @param {HTMLElement} button */
  async #useTestAccount(button) {
    this.#identifier.value = testIdentifier(crypto.getRandomValues(new Uint8Array(4)));
    fieldFault(this.#identifier, "");
    const step = this.#verifyStep();
    step.takesMessage = true;
    await this.#request(offersCode(session.state) ? "code" : "link", button);
    if (!this.#pending) step.takesMessage = false;
  }

  /** Shows the second step. @param {PendingLogin} pending */
  #await(pending) {
    const step = this.#verifyStep();
    this.#pending = pending;
    this.#keep();
    step.begin(pending);
    this.#showStep();
    this.#code.focus();
    void step.lookForMessage();
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
    fieldFault(this.#pending ? this.#code : this.#identifier, problemText(error), !error.isPassing);
  }

  #haveCode() {
    const identifier = this.#identifier.value.trim();
    if (isIdentifierLike(identifier)) {
      const expiresAt = Date.now() + 600_000;
      this.#await({ identifier, masked: identifier, kind: "none", expiresAt, cooldown: null });
    } else fieldFault(this.#identifier, t("login.identifier_missing"));
  }

  #startOver() {
    this.#pending = null;
    this.#keep();
    this.#step?.end();
    fieldFault(this.#identifier, "");
    this.#showStep();
    this.#identifier.focus();
    this.#identifier.select();
  }

  #tick() {
    const left = secondsLeft(this.#cooldown, performance.now(), Date.now());
    const resend = need(this, "#resend", HTMLElement);
    const text = left > 0 ? t("login.resend_in", { time: remaining(left) }) : t("login.resend");
    if (resend.textContent !== text) resend.textContent = text;
    setDisabled(resend, left > 0);
    if (this.#waiting) {
      const field = this.#pending ? this.#code : this.#identifier;
      need(this, `#${field.id}-error`, HTMLElement).textContent = left > 0 ? problemText(this.#waiting, left) : "";
      if (left <= 0) {
        this.#waiting = null;
        field.removeAttribute("aria-invalid");
        announce(t("login.may_send"));
      }
    }
    for (const id of ["#send-link", "#send-code", "#test-account"]) {
      setDisabled(need(this, id, HTMLElement), this.#waiting !== null && left > 0);
    }
  }
}

customElements.define("login-card", LoginCard);
