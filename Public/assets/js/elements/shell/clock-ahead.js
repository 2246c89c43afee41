// @ts-check
import { call } from "../../api.js";
import { announce, busy, h, icon } from "../../helpers/dom.js";
import { t } from "../../helpers/i18n.js";
import { inUnits } from "../../helpers/in-units.js";
import { showFailure } from "../common/notice.js";
import { LiveElement, loadWords, session } from "../../page.js";

/** Says how far the embedded backend's clock is ahead, with a button that resets it; hides itself when it is not. */
class ClockAhead extends LiveElement {

  #value = h("span", { class: "nums" });

  async connectedCallback() {
    const { signal } = this;
    this.hidden = true;
    await loadWords("tools");
    const reset = h("button", { type: "button", class: "button button-small", id: "reset-clock" }, icon("close", 14));
    reset.append(h("span", {}, t("shell.clock_back")));
    reset.addEventListener("click", () => void busy(reset, () => this.#reset()), { signal });
    this.replaceChildren(h("span", { class: "truncate" }, t("shell.clock")), this.#value, reset);
    session.addEventListener("change", () => this.#show(), { signal });
    this.#show();
  }

  #show() {
    const seconds = session.state?.backend.clock_ahead_seconds ?? 0;
    this.#value.textContent = inUnits(seconds, "always");
    this.hidden = !seconds;
  }

  async #reset() {
    try {
      await call("POST", "/api/backend/clock", { body: { reset: true } });
      await session.load();
      document.getElementById("main")?.focus({ preventScroll: true });
      announce(t("shell.clock_reset"));
    } catch (error) {
      await showFailure(error);
    }
  }
}

customElements.define("clock-ahead", ClockAhead);
