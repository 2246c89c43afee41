// @ts-check
import { call } from "../../api.js";
import { announce, busy, h, icon } from "../../helpers/dom.js";
import { currentWords, t } from "../../helpers/i18n.js";
import { showFailure } from "../common/notice.js";
import { loadWords, session } from "../../page.js";

/** Says how far the embedded backend's clock is ahead, with a button that resets it; hides itself when it is not. */
class ClockAhead extends HTMLElement {
  #lifetime = new AbortController();

  #value = h("span", { class: "nums" });

  async connectedCallback() {
    const { signal } = this.#lifetime;
    this.hidden = true;
    await loadWords("tools");
    const reset = h("button", { type: "button", class: "button button-small", id: "reset-clock" }, icon("close", 14));
    reset.append(h("span", {}, t("shell.clock_back")));
    reset.addEventListener("click", () => void busy(reset, () => this.#reset()), { signal });
    this.replaceChildren(h("span", { class: "truncate" }, t("shell.clock")), this.#value, reset);
    session.addEventListener("change", () => this.#show(), { signal });
    this.#show();
  }

  disconnectedCallback() {
    this.#lifetime.abort();
  }

  #show() {
    const seconds = session.state?.backend.clock_ahead_seconds ?? 0;
    this.#value.textContent = ahead(seconds);
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

/**
 * How far a clock is ahead, in its two largest units: `+16 min`, `+1 day 2 hr`. Signs are placed as the language does.
 * @param {number} seconds
 */
function ahead(seconds) {
  let rest = Math.max(0, Math.floor(seconds));
  /** @type {string[]} */
  const parts = [];
  for (const [unit, size] of /** @type {const} */ ([["day", 86_400], ["hour", 3600], ["minute", 60], ["second", 1]])) {
    const count = Math.floor(rest / size);
    rest %= size;
    if (!count || parts.length > 1) continue;
    const signDisplay = parts.length ? "auto" : "always";
    parts.push(
      new Intl.NumberFormat(currentWords().locale, { style: "unit", unit, unitDisplay: "short", signDisplay }).format(count),
    );
  }
  return parts.join(" ");
}

customElements.define("clock-ahead", ClockAhead);
