// @ts-check
import { call, otherDevices, showDevice } from "../api.js";
import { busy, need, showView } from "../helpers/dom.js";
import { problemText } from "../helpers/problem-view.js";
import { readDeepLink } from "../models/deep-link.js";
import { ApiError } from "../models/problem.js";
import { ready } from "../page.js";

// Mail scanners open links: reading the page changes nothing, and its token leaves the address bar before anything else.
const link = readDeepLink(location.hash, location.search);
history.replaceState(null, "", location.pathname);

const malformed = new ApiError({ status: 422, code: "link_malformed" });

/** The deep link's page: asks, then redeems the token by a POST. */
class CallbackCard extends HTMLElement {
  async connectedCallback() {
    showView(this, link ? "ask" : "ended");
    this.press("#sign-in", () => this.redeem(false));
    this.press("#sign-in-foreign", () => this.redeem(true));
    await ready;
    if (!link) this.end(malformed);
  }

  /** @param {string} selector @param {() => Promise<void>} work */
  press(selector, work) {
    const button = need(this, selector, HTMLElement);
    button.addEventListener("click", () => void busy(button, work));
  }

  /** @param {boolean} isForeignAccepted */
  async redeem(isForeignAccepted) {
    if (!link) return;
    const place = need(this, "#callback-error", HTMLElement);
    place.textContent = "";
    const body = {
      token: link.token,
      ...(link.state ? { state: link.state } : {}),
      ...(isForeignAccepted ? { accept_foreign: true } : {}),
    };
    try {
      await call("POST", "/api/login/magic-link/complete", { body });
      location.replace("/settings");
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.status === 409 && !isForeignAccepted) {
        if (await this.redeemElsewhere(body)) return;
        showView(this, "foreign");
        need(this, "#sign-in-foreign", HTMLElement).focus();
      } else if (error.isPassing) place.textContent = problemText(error);
      else this.end(error);
    }
  }

  // The state may be that of another device of this browser: the one that asked is signed in, and this tab shows it.
  /** @param {object} body */
  async redeemElsewhere(body) {
    for (const device of otherDevices()) {
      try {
        await call("POST", "/api/login/magic-link/complete", { body, device });
        showDevice(device);
        location.replace("/settings");
        return true;
      } catch {
        // Not that one either.
      }
    }
    return false;
  }

  /** @param {unknown} error */
  end(error) {
    showView(this, "ended");
    need(this, "#ended-why", HTMLElement).textContent = problemText(error);
  }
}

customElements.define("callback-card", CallbackCard);
