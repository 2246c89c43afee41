// @ts-check
import { ApiError, call, otherDevices, showDevice } from "../../api.js";
import { busy, need, plainButton, showView } from "../../helpers/dom.js";
import { clockTime, t } from "../../helpers/i18n.js";
import { problemText } from "../common/problem-view.js";
import { isSignedIn } from "../../models/shell/console-state.js";
import { devicesThatRequestedLinks } from "../../models/shell/device-list.js";
import { parseDeepLink, readDeepLink } from "../../models/sign-in/deep-link.js";
import { askedTimes, leaveSignIn, LiveElement, loadWords, ready, session } from "../../page.js";
import { readMessage, takeChosen } from "../common/chosen-message.js";

/** @typedef {import("../../api.js").Device} Device */

// Mail scanners open links: loading the page changes nothing, and the token is removed from the address bar first.
const link = readDeepLink(location.hash, location.search);
history.replaceState(null, "", location.pathname);

/** The message whose link was pressed in the inbox of this tab. */
let chosen = takeChosen();

const malformed = new ApiError({ status: 422, code: "link_malformed" });

/**
 * The page of a sign-in link: asks, then redeems the token by a POST; a link of another device leads back to it. It does not ask
 * if the link was pressed in the inbox and ends no session.
 */
class CallbackCard extends LiveElement {
  /** The ids of the devices that turned out not to have requested the link. @type {Set<string>} */
  #refused = new Set();

  async connectedCallback() {
    showView(this, link ? "ask" : "ended");
    this.#press(need(this, "#sign-in", HTMLElement), () => this.#redeem(false));
    this.#press(need(this, "#sign-in-foreign", HTMLElement), () => this.#redeem(true));
    await ready;
    if (!link) void loadWords("errors").then(() => this.#end(malformed));
    session.addEventListener("change", () => this.#showSession(), { signal: this.signal });
    this.#showSession();
  }

  /** @param {Element} button @param {() => Promise<void>} work */
  #press(button, work) {
    button.addEventListener("click", () => void busy(button, work));
  }

  #showSession() {
    const { state } = session;
    if (!state) return;
    need(this, "#replaces", HTMLElement).hidden = !isSignedIn(state);
    const id = chosen;
    chosen = null;
    if (!id || isSignedIn(state)) return;
    void busy(need(this, "#sign-in", HTMLElement), async () => {
      const message = await readMessage(id);
      // No other link gets by unasked.
      if (message?.link && parseDeepLink(message.link)?.token === link?.token) await this.#redeem(false);
    });
  }

  /** @param {boolean} isForeignAccepted @param {Device} [device] */
  async #redeem(isForeignAccepted, device) {
    if (!link) return;
    for (const place of this.querySelectorAll("[data-error]")) place.textContent = "";
    const body = {
      token: link.token,
      ...(link.state ? { state: link.state } : {}),
      ...(isForeignAccepted ? { accept_foreign: true } : {}),
    };
    try {
      await call("POST", "/api/login/magic-link/complete", { body, ...(device ? { device } : {}) });
      if (device) showDevice(device);
      this.stop();
      void leaveSignIn();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.status === 409 && !isForeignAccepted) {
        if (device) this.#refused.add(device.device_id);
        this.#ask();
      } else if (error.isPassing) {
        for (const place of this.querySelectorAll("[data-error]")) place.textContent = problemText(error);
      } else this.#end(error);
    }
  }

  // The link does not identify the device that requested it, so the page offers this browser's other devices that recently
  // requested one.
  #ask() {
    const candidates = devicesThatRequestedLinks(askedTimes(), otherDevices(), Date.now())
      .filter(({ device }) => !this.#refused.has(device.device_id))
      .slice(0, 3);
    const [first] = candidates;
    const why = need(this, "#foreign-why", HTMLElement);
    why.textContent = first
      ? t("callback.foreign_named", { name: first.device.name, time: clockTime(first.at) })
      : t(link?.state ? "callback.foreign" : "callback.no_state");
    const offers = candidates.map(({ device }) => {
      const work = () => this.#redeem(false, device);
      return plainButton("button button-primary button-large", { work }, t("callback.sign_in_on", { name: device.name }));
    });
    const place = need(this, "#askers", HTMLElement);
    place.replaceChildren(...offers);
    place.hidden = !offers.length;
    const here = need(this, "#sign-in-foreign", HTMLElement);
    here.classList.toggle("button-primary", !first);
    here.textContent = first && session.state
      ? t("callback.sign_in_here", { name: session.state.name })
      : t("callback.sign_in_foreign");
    showView(this, "foreign");
    (offers[0] ?? here).focus();
  }

  /** @param {unknown} error */
  #end(error) {
    showView(this, "ended");
    // Opened once more, a link has done its work.
    const isDone = error instanceof ApiError && error.code === "login_link_invalid" && session.state && isSignedIn(session.state);
    need(this, "#ended-why", HTMLElement).textContent = isDone ? t("callback.used_signed_in") : problemText(error);
    if (!isDone) return;
    const next = need(this, "#ended-next", HTMLAnchorElement);
    next.href = "/settings";
    next.textContent = t("nav.settings");
  }
}

customElements.define("callback-card", CallbackCard);
