// @ts-check
import { lazily } from "../../api.js";
import { covered } from "../../helpers/covered.js";
import { announce, h } from "../../helpers/dom.js";
import { t } from "../../helpers/i18n.js";
import { endOf } from "../common/problem-view.js";
import { unexpectedEndReason } from "../../models/shell/console-state.js";
import { LiveElement, loadWords, session } from "../../page.js";

const causeOf = lazily(() => import("../common/session-cause.js"), "causeOf");

/** A banner with the reason for the session's end and a link to the sign-in. */
class SessionOver extends LiveElement {
  #text = h("p", { class: "grow" });
  #link = h("span", { class: "row" });
  /** The end that is shown. */
  #shown = "";

  async connectedCallback() {
    this.hidden = true;
    await Promise.all([loadWords("errors"), loadWords("faults").catch(() => {})]);
    this.className = "notice";
    this.dataset.tone = "warn";
    this.setAttribute("role", "region");
    this.setAttribute("aria-label", t("shell.session_over"));
    this.replaceChildren(this.#text, this.#link, h("a", { class: "button button-small", href: "/login" }, t("nav.login")));
    session.addEventListener("change", () => this.show(), { signal: this.signal });
    this.show();
  }

  show() {
    const state = session.state?.session;
    const over = state && unexpectedEndReason(state) ? endOf(state) : null;
    if (state && over) {
      const end = `${state.since} ${over.text}`;
      if (this.#shown !== end) {
        this.#shown = end;
        announce(over.text);
        this.#text.replaceChildren(...covered(over.text));
        // An end by a fault rule has a known cause.
        if (!state.fault) void this.#addCause(state);
      }
      const shown = this.#link.querySelector("a");
      if (!shown || shown.href !== over.link?.href) this.#link.replaceChildren(over.link ?? "");
    }
    this.hidden = !over;
  }

  /** Adds the cause from the log. @param {import("../../models/shell/console-state.js").Session} ended */
  async #addCause(ended) {
    const shown = this.#shown;
    const cause = await causeOf(ended).catch(() => null);
    if (!cause || this.#shown !== shown) return;
    this.#text.append(" ", cause);
    announce(cause.textContent);
  }
}

customElements.define("session-over", SessionOver);
