// @ts-check
import { call } from "../../api.js";
import { announce, busy, h } from "../../helpers/dom.js";
import { t } from "../../helpers/i18n.js";
import { problemText } from "../../helpers/problem-view.js";
import { loadWords, session } from "../../page.js";

/** A banner while a fault is armed, with a button that disarms all. */
class ArmedBanner extends HTMLElement {
  #lifetime = new AbortController();
  #text = h("p", { class: "grow" });
  #error = h("p", { class: "small", role: "alert" });

  async connectedCallback() {
    this.hidden = true;
    await loadWords("faults");
    this.setAttribute("role", "region");
    this.setAttribute("aria-label", t("fault.banner"));
    const show = h("button", { type: "button", class: "button button-small", id: "show-faults" }, t("fault.show"));
    const disarm = h(
      "button",
      { type: "button", class: "button button-small", id: "disarm-all" },
      t("fault.disarm_all"),
    );
    show.addEventListener("click", () => void import("./fault-panel.js").then(({ openFaults }) => openFaults()));
    disarm.addEventListener("click", () => void busy(disarm, () => this.#disarm()));
    this.replaceChildren(this.#text, this.#error, show, disarm);
    session.addEventListener("change", () => this.show(), { signal: this.#lifetime.signal });
    this.show();
  }

  disconnectedCallback() {
    this.#lifetime.abort();
  }

  show() {
    const armed = session.state?.faults?.armed ?? 0;
    const text = armed ? t("fault.armed", { n: armed }) : "";
    if (armed && this.#text.textContent !== text) {
      this.#text.textContent = text;
      if (this.hidden) announce(text);
    }
    this.hidden = armed === 0;
  }

  async #disarm() {
    try {
      await call("DELETE", "/api/faults");
      this.#error.textContent = "";
      announce(t("fault.disarmed"));
      await session.load();
      // The pressed button no longer exists.
      document.getElementById("main")?.focus();
    } catch (error) {
      this.#error.textContent = problemText(error);
    }
  }
}

customElements.define("armed-banner", ArmedBanner);
