// @ts-check
import { call } from "../../api.js";
import { events } from "../../events.js";
import { busy, everySecond, h, showDone } from "../../helpers/dom.js";
import { remaining, t } from "../../helpers/i18n.js";
import { problemText } from "../common/problem-view.js";
import { secondsUntilNext } from "../../models/inbox/messages.js";
import { LiveElement, ready } from "../../page.js";

/** @typedef {import("../../models/inbox/messages.js").LimitEntry} LimitEntry */
/** @typedef {{mode: string, entries: LimitEntry[], server_time: string}} Limits */

/** The sending limits of the embedded backend, its counts for this device's identifiers, and a button that resets them. */
class BackendLimits extends LiveElement {
  /** @type {Limits | null} */
  #limits = null;
  /** How far the backend's clock is ahead, in milliseconds. */
  #offset = 0;
  #list = h("ul", { class: "stack small", id: "limits-entries" });
  #said = h("p", { class: "small tone-bad", id: "limits-error", role: "status" });
  #select = h("select", { class: "input input-small select", id: "limits-mode" });
  #forget = h("button", { type: "button", class: "button button-small", id: "limits-reset", "data-action": "reset_limits" });

  async connectedCallback() {
    const { signal } = this;
    this.hidden = true;
    await ready;
    this.#select.replaceChildren(
      ...["prod", "relaxed", "off"].map((mode) => h("option", { value: mode }, t(`limits.mode.${mode}`))),
    );
    this.#forget.replaceChildren(t("limits.reset"));
    this.replaceChildren(
      h(
        "details",
        { class: "card" },
        h("summary", {}, t("limits.title")),
        h(
          "div",
          { class: "row" },
          h("label", { for: "limits-mode", class: "small" }, t("limits.mode")),
          this.#select,
          this.#forget,
        ),
        this.#list,
        this.#said,
      ),
    );
    this.#select.addEventListener("change", () => void this.#change({ mode: this.#select.value }), { signal });
    this.#forget.addEventListener("click", () => void busy(this.#forget, () => this.#reset()), { signal });
    events.addEventListener("inbox", () => void this.#load(), { signal });
    everySecond(() => this.#showEntries(), signal);
    await this.#load();
  }

  async #reset() {
    if (await this.#change({ reset: true })) showDone(this.#forget);
  }

  /** @param {{mode?: string, reset?: boolean}} change @returns {Promise<boolean>} whether it worked */
  async #change(change) {
    let problem = "";
    try {
      await call("POST", "/api/backend/limits", { body: change, signal: this.signal });
    } catch (error) {
      problem = problemText(error);
    }
    await this.#load();
    this.#said.textContent = problem;
    return !problem;
  }

  async #load() {
    try {
      this.#limits =
        /** @type {Limits} */ (await call("GET", "/api/backend/limits", { signal: this.signal }));
    } catch {
      // Only the embedded backend has limits to show, and the inbox above shows failures.
      return;
    }
    this.#offset = Date.parse(this.#limits.server_time) - Date.now();
    this.#select.value = this.#limits.mode;
    this.hidden = false;
    this.#showEntries();
  }

  #showEntries() {
    if (!this.#limits) return;
    const now = Date.now() + this.#offset;
    const lines = this.#limits.entries.map((entry) => {
      const left = secondsUntilNext(entry, now);
      return [
        entry.identifier,
        `${t("limits.sent", { n: entry.sent })} · ${
          left ? t("limits.next", { time: remaining(left) }) : t("limits.now")
        }`,
      ];
    });
    const text = lines.map((line) => line.join(" ")).join("\n");
    if (this.#list.dataset.shown === text && this.#list.childElementCount) return;
    this.#list.dataset.shown = text;
    this.#list.replaceChildren(
      ...(lines.length
        ? lines.map(([identifier, rest]) =>
          h("li", {}, h("bdi", { "data-secret": "" }, identifier ?? ""), " · ", rest ?? "")
        )
        : [h("li", { class: "muted" }, t("limits.none"))]),
    );
  }
}

customElements.define("backend-limits", BackendLimits);
