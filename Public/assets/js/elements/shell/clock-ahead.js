// @ts-check
import { call } from "../../api.js";
import { announce, h, icon, plainButton } from "../../helpers/dom.js";
import { t } from "../../helpers/i18n.js";
import { inUnits } from "../../helpers/in-units.js";
import { showFailure } from "../common/notice.js";
import { LiveElement, loadWords, session } from "../../page.js";

/** Shows how far the embedded backend's clock is ahead, with a button that resets it; hides itself when it is not ahead. */
class ClockAhead extends LiveElement {
  #value = h("span", { class: "nums" });

  async connectedCallback() {
    this.hidden = true;
    await loadWords("tools");
    const given = { id: "reset-clock", work: () => this.#reset() };
    const reset = plainButton("button button-small", given, icon("close", 14), h("span", {}, t("shell.clock_back")));
    this.replaceChildren(h("span", { class: "truncate" }, t("shell.clock")), this.#value, reset);
    session.addEventListener("change", () => this.#show(), { signal: this.signal });
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
