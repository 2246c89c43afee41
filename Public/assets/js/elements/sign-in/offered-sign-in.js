// @ts-check
import { ApiError, call } from "../../api.js";
import { announce, busy, h, need, plainButton } from "../../helpers/dom.js";
import { fieldFault, setInvalid } from "../../helpers/fields.js";
import { t } from "../../helpers/i18n.js";
import { holdButton, problemText } from "../common/problem-view.js";
import { longestCooldown, restoreCooldown, startCooldown } from "../../models/sign-in/cooldown.js";
import { restorePending } from "../../models/sign-in/login.js";
import { bodyOf, faultyField, fieldsOfStep, pathOf, waysOf } from "../../models/sign-in/offered.js";
import { LiveElement, pendingLoginKey, rememberAsked, session } from "../../page.js";

/** @typedef {import("../../models/sign-in/offered.js").Way} Way */

/** The attributes of each field's input. @type {Record<string, Record<string, string>>} */
const inputs = {
  identifier: { type: "text", autocomplete: "username", maxlength: "320" },
  password: { type: "password", autocomplete: "current-password" },
  code: { type: "text", autocomplete: "one-time-code" },
  link: { type: "text", autocomplete: "off", inputmode: "url" },
};

/**
 * Sign-in to a backend that a file describes: a tab for each way that the file has, with exactly the fields that its calls use.
 *
 * What is typed stays in the fields. Only the identifier is stored, until its code or link has arrived.
 */
export class OfferedSignIn extends LiveElement {
  /** @type {Way[]} */
  #ways = [];
  /** @type {Way | null} */
  #way = null;
  /** The sign-in whose message was requested. @type {import("../../models/sign-in/login.js").PendingLogin | null} */
  #pending = null;
  /** The parameters of the drawn tabs and fields. */
  #drawn = "";
  /** Ends the waits of the step's buttons. @type {(() => void)[]} */
  #waits = [];
  /** The fields of the step. @type {string[]} */
  #shown = [];
  #tabs = h("div", { class: "tabs", role: "tablist", "aria-label": t("offer.ways") });
  #sentTo = h("p", { class: "muted", dir: "auto", "data-secret": true });
  #fields = h("div", { class: "stack" });
  #foreign = plainButton("button", { hidden: true, work: () => this.#go(true) }, t("callback.sign_in_foreign"));
  /** The place of a fault of a step without fields. */
  #problem = h("p", { class: "field-error", id: "offered-error", role: "alert", hidden: true });
  #submit = h("button", { type: "submit", class: "button button-primary button-large", id: "offered-submit" });
  #resend = plainButton("button nums", { id: "offered-resend", work: () => this.#request() }, t("login.resend"));
  #restart = plainButton("button", { id: "offered-restart", onclick: () => this.#startOver() }, t("offer.restart"));
  #again = h("div", { class: "row" }, this.#resend, this.#restart);
  #form = h(
    "form",
    { class: "stack", method: "post", novalidate: true, id: "offered-form" },
    this.#sentTo,
    this.#fields,
    this.#foreign,
    this.#problem,
    this.#submit,
    this.#again,
  );
  /** @type {Map<string, HTMLInputElement>} */
  #inputs = new Map(Object.entries(inputs).map(([name, given]) => [name, this.#input(name, given)]));

  connectedCallback() {
    const { signal } = this;
    if (!this.childElementCount) {
      this.append(
        h("div", { class: "stack-tight" }, h("h1", {}, t("login.title")), h("p", { class: "muted" }, t("login.lead"))),
        this.#tabs,
        this.#form,
      );
    }
    this.#form.addEventListener("submit", (event) => {
      event.preventDefault();
      void busy(this.#submit, () => this.#go(false));
    }, { signal });
    this.#tabs.addEventListener("keydown", (event) => this.#walk(event), { signal });
    // A page that the browser keeps, or whose fields it restores, has no password.
    addEventListener("pagehide", () => this.#cover(true), { signal });
    session.addEventListener("change", () => this.#show(), { signal });
    const stored = restorePending(sessionStorage.getItem(pendingLoginKey), Date.now());
    this.#ways = waysOf(session.state?.config?.sign_in ?? []);
    let left = 0;
    if (stored?.isOffered && this.#ways.some(({ kind, request }) => kind === stored.kind && request)) {
      this.#pending = stored;
      this.#value("identifier", stored.identifier);
      left = restoreCooldown(stored.cooldown, performance.now(), Date.now())?.seconds ?? 0;
    }
    this.#show();
    if (left) this.#hold(this.#resend, left);
  }

  /** @override */
  disconnectedCallback() {
    this.#cover(true);
    super.disconnectedCallback();
  }

  /** Puts the focus into the first empty field. */
  enter() {
    const shown = [...this.#fields.querySelectorAll("input")];
    (shown.find((one) => !one.value) ?? shown[0])?.focus();
  }

  /** @param {string} name @param {Record<string, string>} given */
  #input(name, given) {
    const id = `offered-${name}`;
    const input = h("input", {
      class: "input",
      id,
      "data-secret": true,
      autocapitalize: "none",
      spellcheck: "false",
      dir: "auto",
      "aria-describedby": `${id}-error`,
      ...given,
    });
    input.addEventListener("input", () => {
      this.#foreign.hidden = true;
      fieldFault(input, "");
    });
    return input;
  }

  /** The value of a field, which `text` sets. @param {string} name @param {string} [text] */
  #value(name, text) {
    const input = this.#inputs.get(name);
    if (input && text !== undefined) input.value = text;
    // White space belongs to a password alone.
    return name === "password" ? input?.value ?? "" : input?.value.trim() ?? "";
  }

  /** Whether a field that the request of the message asks for has a value. @param {string} name */
  #isKnown(name) {
    return this.#way?.request?.includes(name) === true && this.#value(name) !== "";
  }

  /** Shows the ways and the fields of the step, unless they are the same as before. */
  #show() {
    const signIn = session.state?.config?.sign_in;
    if (!signIn) return;
    this.#ways = waysOf(signIn);
    const wanted = this.#pending?.kind ?? this.#way?.kind;
    this.#way = this.#ways.find(({ kind }) => kind === wanted) ?? this.#ways[0] ?? null;
    if (this.#pending && !this.#way?.request) this.#pending = null;
    const drawn = JSON.stringify([this.#ways, this.#way, this.#pending?.identifier]);
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    for (const end of this.#waits.splice(0)) end();
    this.#tabs.hidden = this.#ways.length < 2 || this.#pending !== null;
    this.#tabs.replaceChildren(...this.#ways.map((way) => this.#tab(way)));
    if (this.#tabs.hidden) {
      this.#form.removeAttribute("role");
      this.#form.removeAttribute("aria-labelledby");
    } else {
      this.#form.setAttribute("role", "tabpanel");
      this.#form.setAttribute("aria-labelledby", `offered-${this.#way?.kind}-tab`);
    }
    const known = Object.keys(inputs).filter((name) => this.#isKnown(name));
    this.#shown = this.#way ? fieldsOfStep(this.#way, this.#pending !== null, known) : [];
    this.#fields.replaceChildren(...this.#shown.map((name) => this.#field(name)));
    // A message cannot be requested again with a password that a reload has discarded.
    this.#resend.hidden = this.#way?.request?.some((name) => !this.#isKnown(name)) ?? true;
    this.#cover(false);
    for (const name of this.#shown) this.#fault(name, "");
    this.#tell("");
    const kind = this.#way?.kind;
    const to = this.#pending?.masked;
    this.#sentTo.textContent = to ? t(`offer.sent.${kind}`, { to }) : "";
    this.#sentTo.hidden = !to;
    this.#again.hidden = !this.#pending;
    this.#foreign.hidden = true;
    this.#submit.hidden = !this.#way;
    const asksFirst = this.#way?.request && !this.#pending;
    this.#submit.textContent = asksFirst ? t(`login.send_${kind}`) : t("login.verify");
    if (!this.#way) this.#fields.replaceChildren(h("p", { class: "notice", "data-tone": "warn" }, t("offer.none")));
  }

  /** @param {Way} way */
  #tab(way) {
    const isChosen = way.kind === this.#way?.kind;
    const id = `offered-${way.kind}-tab`;
    return h("button", {
      type: "button",
      role: "tab",
      id,
      "aria-controls": "offered-form",
      "aria-selected": String(isChosen),
      tabindex: isChosen ? "0" : "-1",
      onclick: () => {
        this.#way = way;
        this.#show();
        need(this, `#${id}`, HTMLElement).focus();
      },
    }, t(`offer.field.${way.kind}`));
  }

  /** @param {KeyboardEvent} event */
  #walk(event) {
    const tabs = [...this.#tabs.querySelectorAll("button")];
    const at = tabs.findIndex((one) => one === document.activeElement);
    const isBackwards = getComputedStyle(this).direction === "rtl";
    const step = { ArrowRight: isBackwards ? -1 : 1, ArrowLeft: isBackwards ? 1 : -1 }[event.key];
    const to = event.key === "Home" ? 0 : event.key === "End" ? tabs.length - 1 : step && (at + step + tabs.length) % tabs.length;
    if (to === undefined || at < 0) return;
    event.preventDefault();
    tabs[to]?.click();
  }

  /** A field with its label and the place of its fault. @param {string} name */
  #field(name) {
    const input = this.#inputs.get(name);
    if (!input) return h("p");
    return h(
      "div",
      { class: "field" },
      h("label", { for: input.id }, t(`offer.field.${name}`)),
      name === "password" ? h("div", { class: "row nowrap" }, input, this.#eye(input)) : input,
      name === "link" ? h("p", { class: "hint" }, t("offer.link_hint")) : null,
      h("p", { class: "field-error", id: `${input.id}-error` }),
    );
  }

  /** A button that shows the password while it is pressed in. @param {HTMLInputElement} input */
  #eye(input) {
    const onclick = () => {
      const isShown = input.type === "text";
      input.type = isShown ? "password" : "text";
      button.setAttribute("aria-pressed", String(!isShown));
    };
    const given = { id: "offered-show", "aria-pressed": "false", "aria-controls": input.id, onclick };
    const button = plainButton("button", given, t("offer.show"));
    return button;
  }

  /** Hides the password; with `forgets`, discards it too. @param {boolean} forgets */
  #cover(forgets) {
    const input = this.#inputs.get("password");
    if (!input) return;
    input.type = "password";
    this.querySelector("#offered-show")?.setAttribute("aria-pressed", "false");
    if (forgets) input.value = "";
  }

  /** @param {string} name @param {string} text @param {boolean} [isItsOwn] */
  #fault(name, text, isItsOwn) {
    const input = this.#inputs.get(name);
    if (input?.isConnected) fieldFault(input, text, isItsOwn);
    else if (input) setInvalid(input, false);
  }

  /** Shows the error of a step without fields; an empty text removes it. @param {string} text */
  #tell(text) {
    this.#problem.textContent = text;
    this.#problem.hidden = !text;
  }

  /** Makes the call of this step. @param {boolean} isForeignAccepted whether a link that another device requested is used */
  async #go(isForeignAccepted) {
    const empty = this.#shown.find((name) => !this.#value(name));
    if (empty) return this.#fault(empty, t("offer.empty"));
    this.#cover(false);
    if (this.#way?.request && !this.#pending) return await this.#request();
    try {
      const state = await this.#send(true, isForeignAccepted ? { accept_foreign: true } : {});
      this.#cover(true);
      session.take(state);
    } catch (error) {
      this.#failed(error, this.#submit);
    }
  }

  async #request() {
    try {
      const answer = await this.#send(false, {});
      const cooldown = startCooldown(answer.cooldown_seconds, performance.now(), Date.now());
      this.#pending = {
        identifier: this.#value("identifier"),
        masked: answer.identifier_masked ?? "",
        kind: this.#way?.kind === "link" ? "link" : "code",
        expiresAt: Date.now() + (Number(answer.expires_in_seconds) || 600) * 1000,
        cooldown,
        isOffered: true,
      };
      sessionStorage.setItem(pendingLoginKey, JSON.stringify(this.#pending));
      rememberAsked();
      this.#show();
      if (cooldown.seconds) this.#hold(this.#resend, cooldown.seconds);
      announce(this.#sentTo.textContent ?? "");
      this.enter();
    } catch (error) {
      this.#failed(error, this.#pending ? this.#resend : this.#submit);
    }
  }

  /** @param {boolean} isSent @param {object} more @returns {Promise<any>} */
  async #send(isSent, more) {
    this.#tell("");
    if (!this.#way) return null;
    const values = Object.fromEntries(Object.keys(inputs).map((name) => [name, this.#value(name)]));
    return await call("POST", pathOf(this.#way, isSent), { body: { ...bodyOf(this.#way, isSent, values), ...more } });
  }

  /** @param {unknown} error @param {HTMLElement} button the one that made the call */
  #failed(error, button) {
    if (!(error instanceof ApiError)) throw error;
    const isForeign = error.status === 409 && this.#way?.kind === "link";
    const seconds = error.retryAfterSeconds ??
      longestCooldown(error.retryAt ? [{ retry_at: error.retryAt }] : [], Date.now());
    if (error.status === 429 && seconds) this.#hold(button, seconds);
    const name = faultyField(error, this.#shown);
    if (!name) this.#tell(problemText(error));
    else this.#fault(name, isForeign ? t("callback.foreign") : problemText(error), !error.isPassing && !isForeign);
    this.#foreign.hidden = !isForeign;
  }

  /** Holds a button until the wait is over or another step is shown. @param {HTMLElement} button @param {number} seconds */
  #hold(button, seconds) {
    this.#waits.push(holdButton(button, seconds, this.signal));
  }

  #startOver() {
    this.#pending = null;
    sessionStorage.removeItem(pendingLoginKey);
    for (const name of ["code", "link"]) this.#value(name, "");
    this.#cover(true);
    this.#show();
    this.#inputs.get("identifier")?.select();
    this.enter();
  }
}

customElements.define("offered-sign-in", OfferedSignIn);
