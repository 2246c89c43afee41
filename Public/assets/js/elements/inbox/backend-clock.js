// @ts-check
import { call } from "../../api.js";
import { announce, busy, showDone } from "../../helpers/dom.js";
import { t } from "../../helpers/i18n.js";
import { showFailure } from "../common/notice.js";
import { LiveElement, loadWords, ready, session } from "../../page.js";

/** The buttons that move the embedded backend's clock, which all devices share; the header shows how far it is ahead. */
class BackendClock extends LiveElement {
  async connectedCallback() {
    const { signal } = this;
    for (const button of this.querySelectorAll("button")) {
      button.addEventListener("click", () => void busy(button, () => this.#move(button)), { signal });
    }
    await ready;
    const show = () => {
      // It is there from the start, so that nothing below it moves; only another backend's clock cannot be moved.
      if (session.state) this.hidden = !session.state.backend.embedded;
    };
    session.addEventListener("change", show, { signal });
    show();
  }

  /** @param {HTMLElement} button */
  async #move(button) {
    const seconds = Number(button.dataset.advance);
    try {
      await call("POST", "/api/backend/clock", { body: seconds ? { advance_seconds: seconds } : { reset: true } });
      await session.load();
      showDone(button);
      await loadWords("tools");
      announce(t(seconds ? "clock.moved" : "shell.clock_reset"));
    } catch (error) {
      await showFailure(error);
    }
  }
}

customElements.define("backend-clock", BackendClock);
