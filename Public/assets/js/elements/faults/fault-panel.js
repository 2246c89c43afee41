// @ts-check
import { ApiError, call } from "../../api.js";
import { events } from "../../events.js";
import { loadStyle, openDialog } from "../../helpers/dialog.js";
import { announce, busy, everySecond, h, icon, setDisabled, showView } from "../../helpers/dom.js";
import { faultName, faultSentence, presetIds } from "./fault-words.js";
import { remaining, t } from "../../helpers/i18n.js";
import { problemPanel, problemText, streamProblem } from "../../helpers/problem-view.js";
import { afterHit, secondsLeft } from "../../models/faults/faults.js";
import { loadWords, session } from "../../page.js";
import { FaultForm } from "./fault-form.js";

/** @typedef {import("../../models/faults/faults.js").Fault} Fault */

/** Presets, the rules of the device with their hits, and a form for a new rule. */
export class FaultPanel extends HTMLElement {
  #lifetime = new AbortController();
  /** @type {Fault[]} */
  #faults = [];
  #loads = 0;
  /** How far the console's clock is ahead of this one, in milliseconds. */
  #offset = 0;
  #form = new FaultForm();
  #list = h("ol", { class: "fault-list", "data-view": "ready", hidden: true });
  #error = h("div", { "data-view": "error", hidden: true });
  #notice = h("p", { class: "notice", "data-tone": "warn", role: "alert" });

  async connectedCallback() {
    const { signal } = this.#lifetime;
    if (this.childElementCount) return;
    await loadWords("faults");
    await loadWords("tools");
    const clear = h(
      "button",
      { type: "button", class: "button button-small", id: "clear-faults" },
      t("fault.disarm_all"),
    );
    clear.addEventListener(
      "click",
      () => void busy(clear, () => this.#ask("DELETE", "/api/faults", t("fault.disarmed"))),
    );
    this.append(
      h("p", { class: "muted small" }, t("fault.lead")),
      h("h3", {}, t("fault.presets")),
      h("div", { class: "fault-presets" }, ...presetIds().map((id) => this.#presetButton(id))),
      this.#notice,
      h("div", { class: "spread" }, h("h3", {}, t("fault.rules")), clear),
      h(
        "div",
        { class: "stack" },
        h(
          "div",
          { class: "skeleton", "data-view": "loading", role: "status" },
          h("p", { class: "visually-hidden" }, t("state.loading")),
          h("span"),
          h("span"),
        ),
        this.#error,
        h(
          "div",
          { class: "blank", "data-view": "empty", hidden: true },
          h("p", { class: "title" }, t("fault.none_title")),
          h("p", {}, t("fault.none")),
        ),
        this.#list,
      ),
      this.#form,
    );
    this.#form.addEventListener("armed", () => void this.#load());
    events.addEventListener("fault", (event) => this.#take(/** @type {CustomEvent} */ (event).detail), { signal });
    events.addEventListener("gap", () => void this.#load(), { signal });
    events.addEventListener("status", () => this.#showNotice(), { signal });
    everySecond(() => this.#tick(), signal);
    await this.#load();
  }

  disconnectedCallback() {
    this.#lifetime.abort();
  }

  /** @param {string} id */
  #presetButton(id) {
    const name = t(`fault.preset.${id}`);
    const button = h("button", { type: "button", class: "button button-small", "data-preset": id }, name);
    button.addEventListener(
      "click",
      () => void busy(button, () => this.#ask("POST", `/api/faults/presets/${id}`, t("fault.armed_said", { name }))),
    );
    return button;
  }

  async #load() {
    const turn = this.#loads += 1;
    try {
      const answer = await call("GET", "/api/faults", { signal: this.#lifetime.signal });
      if (turn !== this.#loads) return;
      this.#offset = Date.parse(answer.server_time) - Date.now();
      this.#faults = answer.faults;
      this.show();
    } catch (error) {
      if (turn !== this.#loads || (error instanceof ApiError && error.code === "aborted")) return;
      this.#error.replaceChildren(problemPanel(error, () => void this.#load()));
      showView(this, "error");
    }
  }

  /** @param {{kind?: string}} event */
  #take(event) {
    const changed = afterHit(this.#faults, event ?? {});
    if (!changed) return void this.#load();
    this.#faults = changed;
    this.#tick();
  }

  /**
   * Changes something and announces it; a failure is shown above the rules.
   * @param {string} method @param {string} path @param {string} said @param {object} [body]
   */
  async #ask(method, path, said, body) {
    try {
      await call(method, path, { body: body ?? (method === "POST" ? {} : undefined) });
      this.#notice.textContent = "";
      announce(said);
      await Promise.all([this.#load(), session.load()]);
    } catch (error) {
      const isFull = error instanceof ApiError && error.code === "invalid_request" && method === "POST";
      this.#notice.textContent = isFull ? t("fault.full") : problemText(error);
      await this.#load();
    }
  }

  show() {
    showView(this, this.#faults.length ? "ready" : "empty");
    const focused = document.activeElement instanceof HTMLElement && this.#list.contains(document.activeElement)
      ? document.activeElement.id
      : "";
    this.#list.replaceChildren(...this.#faults.map((fault, index) => this.#line(fault, index)));
    if (focused) (document.getElementById(focused) ?? this.querySelector("button"))?.focus();
    this.#tick();
  }

  /** @param {Fault} fault @param {number} index */
  #line(fault, index) {
    const name = faultName(fault);
    const path = `/api/faults/${fault.id}`;
    const toggle = h("input", {
      type: "checkbox",
      class: "switch",
      role: "switch",
      id: `switch-${fault.id}`,
      checked: fault.state === "armed",
      "aria-label": t("fault.switch", { name }),
    });
    toggle.addEventListener(
      "change",
      () =>
        void this.#ask("PATCH", path, t(`fault.state.${toggle.checked ? "armed" : "off"}`), { armed: toggle.checked }),
    );
    /** @param {string} action @param {string} glyph @param {() => void} act @param {boolean} [off] */
    const button = (action, glyph, act, off = false) => {
      const one = h("button", {
        type: "button",
        class: "button button-quiet button-small",
        id: `${action}-${fault.id}`,
        "aria-label": t(`fault.${action}`, { name }),
        title: t(`fault.${action}`, { name }),
      }, glyph === "close" ? icon("close", 14) : h("span", { "aria-hidden": "true" }, glyph));
      if (off) setDisabled(one, true);
      one.addEventListener("click", () => {
        if (one.getAttribute("aria-disabled") !== "true") act();
      });
      return one;
    };
    const move = (/** @type {number} */ place) => void this.#ask("PATCH", path, t("fault.rules"), { position: place });
    return h(
      "li",
      { "data-fault": fault.id },
      h(
        "div",
        { class: "row nowrap" },
        toggle,
        h("bdi", { class: "grow fault-name" }, name),
        button("up", "↑", () => move(index - 1), index === 0),
        button("down", "↓", () => move(index + 1), index === this.#faults.length - 1),
        button("edit", "✎", () => this.#form.edit(fault)),
        button("remove", "close", () => void this.#ask("DELETE", path, t("fault.removed", { name }))),
      ),
      h("p", { class: "small", dir: "auto" }, faultSentence(fault)),
      h("p", { class: "row small muted nums" }, h("span", { class: "badge" }), h("span"), h("span")),
    );
  }

  /** Updates the countdowns, hits, and states. */
  #tick() {
    const now = Date.now() + this.#offset;
    for (const fault of this.#faults) {
      const line = this.#list.querySelector(`[data-fault="${fault.id}"]`);
      const left = secondsLeft(fault, now);
      const state = fault.state === "armed" && left === 0 ? "expired" : fault.state;
      const [badge, hits, end] = line?.querySelectorAll(".nums > span") ?? [];
      if (!badge || !hits || !end) continue;
      const texts = [
        t(`fault.state.${state}`),
        t("fault.hits", { n: fault.hits }),
        state !== "armed" ? "" : left === null ? t("fault.forever") : t("fault.left", { time: remaining(left) }),
      ];
      for (const [at, place] of [badge, hits, end].entries()) {
        if (place.textContent !== texts[at]) place.textContent = texts[at] ?? "";
      }
      badge.setAttribute("data-tone", state === "armed" ? "violet" : "");
      const toggle = line?.querySelector("input");
      if (toggle && document.activeElement !== toggle) toggle.checked = state === "armed";
    }
  }

  #showNotice() {
    const problem = streamProblem();
    this.#notice.textContent = problem ? problemText(problem) : "";
  }
}

customElements.define("fault-panel", FaultPanel);

/** Opens the drawer with the faults of the tab's device, or closes it if it is open. */
export async function openFaults() {
  await loadWords("faults");
  await loadWords("tools");
  await loadStyle("faults");
  const dialog = await openDialog("faults", t("fault.title"), new FaultPanel());
  dialog?.classList.add("drawer");
}
