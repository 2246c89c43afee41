// @ts-check
import { announce, h } from "../../helpers/dom.js";
import { t } from "../../helpers/i18n.js";
import { reasonText } from "../common/problem-view.js";
import { tellableReason } from "../../models/shell/console-state.js";
import { loadWords, session } from "../../page.js";

/** A banner that says why the session ended, with a link to the sign-in. */
class SessionOver extends HTMLElement {
  #lifetime = new AbortController();
  #text = h("p", { class: "grow" });

  async connectedCallback() {
    this.hidden = true;
    await loadWords("errors");
    this.className = "notice";
    this.dataset.tone = "warn";
    this.setAttribute("role", "region");
    this.setAttribute("aria-label", t("shell.session_over"));
    this.replaceChildren(this.#text, h("a", { class: "button button-small", href: "/login" }, t("nav.login")));
    session.addEventListener("change", () => this.show(), { signal: this.#lifetime.signal });
    this.show();
  }

  disconnectedCallback() {
    this.#lifetime.abort();
  }

  show() {
    const reason = session.state ? tellableReason(session.state.session) : null;
    const text = reason ? reasonText(reason) : "";
    if (reason && this.#text.textContent !== text) {
      this.#text.textContent = text;
      announce(text);
    }
    this.hidden = !reason;
  }
}

customElements.define("session-over", SessionOver);
