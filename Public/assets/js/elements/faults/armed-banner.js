// @ts-check
import { ApiError, call } from "../../api.js";
import { announce, h, plainButton } from "../../helpers/dom.js";
import { faultName, t } from "../../helpers/i18n.js";
import { problemText } from "../common/problem-view.js";
import { grouped } from "../../models/faults/fault-groups.js";
import { LiveElement, loadWords, session } from "../../page.js";
import { openFaults } from "./dialogs.js";
import { listOf } from "./fault-words.js";

/** A banner while a fault is armed, with a button that disarms all. */
class ArmedBanner extends LiveElement {
  #text = h("p", { class: "grow" });
  #error = h("p", { class: "small", role: "alert" });
  #turn = 0;

  async connectedCallback() {
    this.hidden = true;
    await loadWords("faults");
    this.setAttribute("role", "region");
    this.setAttribute("aria-label", t("fault.banner"));
    const show = () => void openFaults(null, false);
    this.replaceChildren(
      this.#text,
      this.#error,
      plainButton("button button-small", { id: "show-faults", onclick: show }, t("fault.show")),
      plainButton("button button-small", { id: "disarm-all", work: () => this.#disarm() }, t("fault.disarm_all")),
    );
    session.addEventListener("change", () => void this.show(), { signal: this.signal });
    void this.show();
  }

  async show() {
    const turn = this.#turn += 1;
    const armed = session.state?.faults?.armed ?? 0;
    const text = armed ? await this.#words(armed) : "";
    if (turn !== this.#turn) return;
    if (armed && this.#text.textContent !== text) {
      this.#text.textContent = text;
      if (this.hidden) announce(text);
    }
    this.hidden = armed === 0;
  }

  /** Names the armed faults, or shows their number if the names cannot be read. @param {number} armed how many rules */
  async #words(armed) {
    try {
      const { faults } = await call("GET", "/api/faults", { signal: this.signal });
      const groups = grouped(faults).filter(({ state }) => state === "armed");
      const names = groups.flatMap(({ rules: [rule] }) => rule ? [faultName(rule)] : []);
      if (names.length) return t("fault.armed_names", { names: listOf(names) });
    } catch {
      // Other parts of the page report that the console is away.
    }
    return t("fault.armed", { n: armed });
  }

  async #disarm() {
    try {
      const { faults } = await call("GET", "/api/faults");
      for (const { preset, rules: [rule], state } of grouped(faults)) {
        if (state !== "armed") continue;
        // A preset is one press away; a user's own rule is kept.
        if (preset) await call("DELETE", `/api/faults/presets/${preset}`).catch(unlessGone);
        else await call("PATCH", `/api/faults/${rule?.id}`, { body: { armed: false } }).catch(unlessGone);
      }
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

/** Ignores a rule that no longer exists; throws any other error. @param {unknown} error */
function unlessGone(error) {
  if (!(error instanceof ApiError && error.code === "not_found")) throw error;
}

customElements.define("armed-banner", ArmedBanner);
