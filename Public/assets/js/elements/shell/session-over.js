// @ts-check
import { covered } from "../../helpers/covered.js";
import { announce, h } from "../../helpers/dom.js";
import { t } from "../../helpers/i18n.js";
import { endOf } from "../common/problem-view.js";
import { tellableReason } from "../../models/shell/console-state.js";
import { loadWords, session } from "../../page.js";

/** A banner that says why the session ended, with a link to the sign-in. */
class SessionOver extends HTMLElement {
  #lifetime = new AbortController();
  #text = h("p", { class: "grow" });
  #link = h("span", { class: "row" });

  async connectedCallback() {
    this.hidden = true;
    await Promise.all([loadWords("errors"), loadWords("faults").catch(() => {})]);
    this.className = "notice";
    this.dataset.tone = "warn";
    this.setAttribute("role", "region");
    this.setAttribute("aria-label", t("shell.session_over"));
    this.replaceChildren(this.#text, this.#link, h("a", { class: "button button-small", href: "/login" }, t("nav.login")));
    session.addEventListener("change", () => this.show(), { signal: this.#lifetime.signal });
    this.show();
  }

  disconnectedCallback() {
    this.#lifetime.abort();
  }

  show() {
    const state = session.state?.session;
    const over = state && tellableReason(state) ? endOf(state) : null;
    if (over) {
      if (this.#text.textContent !== over.text) {
        announce(over.text);
        this.#text.replaceChildren(...covered(over.text));
      }
      const shown = this.#link.querySelector("a");
      if (!shown || shown.href !== over.link?.href) this.#link.replaceChildren(over.link ?? "");
    }
    this.hidden = !over;
  }
}

customElements.define("session-over", SessionOver);
