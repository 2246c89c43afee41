// @ts-check
import { ApiError, call } from "../../api.js";
import { events } from "../../events.js";
import { announce, everySecond, h, loadStyle, need, plainButton, showView } from "../../helpers/dom.js";
import { faultName, t } from "../../helpers/i18n.js";
import { problemPanel, problemText, streamProblem } from "../common/problem-view.js";
import { grouped, moves } from "../../models/faults/fault-groups.js";
import { FaultedCalls } from "../../models/faults/fault-promises.js";
import { afterHit } from "../../models/faults/faults.js";
import { LiveElement, loadWords, session } from "../../page.js";
import { openAnswer } from "./answer-dialog.js";
import { dock, openDock } from "./fault-dock.js";
import { FaultForm } from "./fault-form.js";
import { faultLine, showFacts } from "./fault-line.js";
import { loadPromises, showPromises } from "./fault-promises.js";
import { presetList, showPresets } from "./preset-list.js";

/** @typedef {import("../../models/faults/faults.js").Fault} Fault */

/** The faults of the device with their hits, the presets, and a form for a custom rule. */
class FaultPanel extends LiveElement {
  /** @type {Fault[]} */
  #faults = [];
  #loads = 0;
  /** @type {import("./fault-promises.js").ClientPromise[]} */
  #promises = [];
  #faultedCalls = new FaultedCalls();
  /** Whether the log has more about the faults than `#promises`. */
  #lacksPromises = false;
  #isAskingForPromises = false;
  /** When the promises may be requested again, by `performance.now()`. */
  #nextPromises = 0;
  /** How far the console's clock is ahead of this one, in milliseconds. */
  #offset = 0;
  /** The last action; the promise ends when it is done. */
  #last = Promise.resolve();
  #form = new FaultForm();
  #presets = h("section", { class: "stack-tight", "aria-labelledby": "fault-presets" });
  #foot = h("div", { class: "fault-foot row" });
  #list = h("ol", { class: "fault-list", "data-view": "ready", hidden: true });
  #error = h("div", { "data-view": "error", hidden: true });
  #notice = h("p", { class: "notice", "data-tone": "warn", role: "alert" });
  /** The rule to show once the rules are loaded. @type {string | null} */
  wanted = null;

  async connectedCallback() {
    const { signal } = this;
    if (this.childElementCount) return;
    /** @param {string} key @param {Record<string, any>} attributes */
    const button = (key, attributes) => plainButton("button button-small", attributes, t(key));
    const [edit, clear] = [() => this.#editAnswer(null), () => this.#ask("DELETE", "/api/faults", t("fault.removed_all"))];
    this.#foot.append(
      button("fault.new", { id: "new-rule", onclick: () => this.#form.start() }),
      button("fault.answer_new", { id: "new-answer", "aria-haspopup": "dialog", work: edit }),
      button("fault.remove_all", { id: "clear-faults", work: clear }),
    );
    this.append(
      h("p", { class: "muted small" }, t("fault.lead")),
      this.#notice,
      h(
        "section",
        { class: "stack-tight", "aria-labelledby": "fault-rules" },
        h(
          "div",
          { class: "spread" },
          h("h3", { id: "fault-rules" }, t("fault.rules")),
          h("p", { class: "small muted", id: "first-wins", hidden: true }, t("fault.first_wins")),
        ),
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
          { class: "small muted", "data-view": "empty", hidden: true },
          h("p", { class: "title" }, t("fault.none_title")),
          h("p", {}, t("fault.none")),
        ),
        this.#list,
      ),
      this.#form,
      this.#presets,
      this.#foot,
    );
    this.#presets.append(
      h("h3", { id: "fault-presets" }, t("fault.presets")),
      ...presetList((id, name) => this.#press(id, name), session.state?.config?.hidden ?? []),
    );
    this.#form.addEventListener("armed", () => void this.#load());
    this.#form.addEventListener("mode", () => this.#showMode());
    this.#showMode();
    events.addEventListener("fault", (event) => this.#take(/** @type {CustomEvent} */ (event).detail), { signal });
    events.addEventListener("network", (event) => {
      if (this.#faultedCalls.take(/** @type {CustomEvent} */ (event).detail ?? {})) this.#lacksPromises = true;
    }, { signal });
    events.addEventListener("gap", () => void this.#load(), { signal });
    events.addEventListener("status", () => this.#showNotice(), { signal });
    everySecond(() => {
      this.#tick();
      void this.#askForPromises();
    }, signal);
    await this.#load();
  }

  /** The form takes the place of the presets. */
  #showMode() {
    this.#presets.hidden = this.#foot.hidden = !this.#form.hidden;
    if (this.#form.hidden && this.#form.contains(document.activeElement)) {
      need(this, "#new-rule", HTMLElement).focus();
    }
  }

  /** Begins a new rule. @param {Record<string, string>} values its known values, by field */
  begin(values) {
    this.#form.start(values);
  }

  /** Arms a preset, or disarms it if it is armed. @param {string} id @param {string} name */
  async #press(id, name) {
    const path = `/api/faults/presets/${id}`;
    const group = grouped(this.#faults).find((one) => one.preset === id);
    if (!group) await this.#ask("POST", path, t("fault.armed_said", { name }));
    else if (group.state === "armed") await this.#ask("DELETE", path, t("fault.disarmed_said", { name }));
    else await this.#ask("PATCH", path, t("fault.armed_said", { name }), { armed: true });
  }

  /** Opens the dialog of a response, over the drawer. @param {Fault | null} fault */
  async #editAnswer(fault) {
    try {
      await openAnswer({ fault });
    } catch (error) {
      this.#notice.textContent = problemText(error);
    }
  }

  async #load() {
    const turn = this.#loads += 1;
    try {
      const answer = await call("GET", "/api/faults", { signal: this.signal });
      if (turn !== this.#loads) return;
      this.#offset = Date.parse(answer.server_time) - Date.now();
      this.#faults = answer.faults;
      this.#lacksPromises ||= this.#faults.some(({ hits }) => hits > 0);
      this.show();
      void this.#askForPromises();
      if (this.wanted) this.#showWanted(this.wanted);
    } catch (error) {
      if (turn !== this.#loads || (error instanceof ApiError && error.code === "aborted")) return;
      this.#error.replaceChildren(problemPanel(error, () => void this.#load()));
      showView(this, "error");
    }
  }

  /** Shows a rule, at once or when the rules are there. @param {string} id */
  want(id) {
    this.wanted = id;
    if (this.#list.childElementCount) this.#showWanted(id);
  }

  /** Moves to a rule, or reports that it was deleted. @param {string} id */
  #showWanted(id) {
    this.wanted = null;
    const line = this.#list.querySelector(`[data-fault="${CSS.escape(id)}"]`);
    if (!(line instanceof HTMLElement)) {
      this.#notice.textContent = t("fault.gone");
      return;
    }
    const details = line.closest("details");
    if (details) details.open = true;
    line.tabIndex = -1;
    line.focus();
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
  #ask(method, path, said, body) {
    return this.#inTurn(async () => {
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
    });
  }

  /** Runs an action after the previous one: a rule that is being moved cannot be removed. @param {() => Promise<void>} deed */
  #inTurn(deed) {
    return this.#last = this.#last.then(deed);
  }

  show() {
    const groups = grouped(this.#faults);
    showView(this, groups.length ? "ready" : "empty");
    need(this, "#first-wins", HTMLElement).hidden = groups.length < 2;
    need(this, "#clear-faults", HTMLElement).hidden = groups.length === 0;
    const active = document.activeElement;
    const focused = active instanceof HTMLElement && this.#list.contains(active) ? active.id : "";
    const open = new Set(
      Array.from(this.#list.querySelectorAll("li:has(> details[open])"), (line) => line.getAttribute("data-faults")),
    );
    this.#list.replaceChildren(...groups.map((group, at) => faultLine(group, at, groups.length, this.#deeds)));
    for (const line of this.#list.children) {
      const details = line.querySelector("details");
      if (details && open.has(line.getAttribute("data-faults"))) details.open = true;
    }
    if (focused) (document.getElementById(focused) ?? need(this, "#new-rule", HTMLElement)).focus();
    this.#tick();
  }

  /** The actions of the list's lines. @type {import("./fault-line.js").Deeds} */
  #deeds = {
    change: ({ preset, rules: [rule] }, armed) =>
      void this.#ask("PATCH", addressOf(preset, rule), said(armed ? "fault.armed_said" : "fault.disarmed_said", rule), { armed }),
    remove: ({ preset, rules: [rule] }) =>
      void this.#ask("DELETE", addressOf(preset, rule), said("fault.removed", rule)),
    edit: (fault) => {
      if (fault.action.kind === "answer") void this.#editAnswer(fault);
      else this.#form.edit(fault);
    },
    move: (at, step) => void this.#move(moves(grouped(this.#faults), at, step)),
  };

  /** @param {{id: string, position: number}[]} places */
  #move(places) {
    return this.#inTurn(async () => {
      try {
        for (const { id, position } of places) await call("PATCH", `/api/faults/${id}`, { body: { position } });
        announce(t("fault.first_wins"));
      } catch (error) {
        this.#notice.textContent = problemText(error);
      }
      await this.#load();
    });
  }

  /** Updates the countdowns, hits, and states. */
  #tick() {
    const now = Date.now() + this.#offset;
    for (const fault of this.#faults) showFacts(this.#list.querySelector(`[data-fault="${fault.id}"]`), fault, now);
    const groups = grouped(this.#faults);
    for (const group of groups) {
      if (group.rules.length === 1) continue;
      const { expires_at } = group.rules.find((one) => one.state === "armed") ?? {};
      showFacts(this.#list.querySelector(`[data-faults="${group.key}"]`), { ...group, expires_at }, now);
    }
    for (const { key, rules } of groups) {
      const [first] = rules;
      const line = rules.length === 1 ? `[data-fault="${first?.id}"]` : `[data-faults="${key}"]`;
      showPromises(this.#list.querySelector(line), rules.map(({ id }) => id), this.#promises);
    }
    showPresets(this, groups);
  }

  /**
   * Requests the client's latest promises, in a fifth of the time at most, because each response is computed from the whole log.
   */
  async #askForPromises() {
    const begun = performance.now();
    if (!this.#lacksPromises || this.#isAskingForPromises || begun < this.#nextPromises) return;
    this.#isAskingForPromises = true;
    this.#lacksPromises = false;
    try {
      this.#promises = await loadPromises();
      if (this.isConnected) this.#tick();
    } catch {
      // The next row of a fault repeats the request.
    } finally {
      this.#isAskingForPromises = false;
      this.#nextPromises = performance.now() + 4 * (performance.now() - begun);
    }
  }

  #showNotice() {
    const problem = streamProblem();
    this.#notice.textContent = problem ? problemText(problem) : "";
  }
}

/** Where a preset is changed, or a rule that is of none. @param {string | null} preset @param {Fault | undefined} rule */
const addressOf = (preset, rule) => preset ? `/api/faults/presets/${preset}` : `/api/faults/${rule?.id}`;

/** The announcement of a changed rule. @param {string} key @param {Fault | undefined} rule */
const said = (key, rule) => t(key, { name: rule ? faultName(rule) : "" });

customElements.define("fault-panel", FaultPanel);

/**
 * Opens the faults of the tab's device, or closes them if they are open.
 * @param {string | null} [wanted] the rule to show
 * @param {boolean} [isToggle] false to leave open what is open
 */
export async function openFaults(wanted = null, isToggle = true) {
  const pane = openDock();
  if (pane) {
    const panel = pane.querySelector("fault-panel");
    if (wanted && panel instanceof FaultPanel) panel.want(wanted);
    else if (isToggle) pane.dispatchEvent(new Event("close"));
    else pane.focus();
    return;
  }
  const sections = ["faults", "tools", "errors", ...(session.state?.config?.by_file ? ["offer"] : [])];
  await Promise.all([...sections.map(loadWords), loadStyle("faults"), loadStyle("overlay")]);
  await dock(() => {
    const panel = new FaultPanel();
    panel.wanted = wanted;
    return panel;
  });
}

/** Opens the faults with a new rule begun. @param {Record<string, string>} values its known values, by field */
export async function beginRule(values) {
  await openFaults(null, false);
  const panel = document.querySelector("#faults fault-panel");
  if (panel instanceof FaultPanel) panel.begin(values);
}
