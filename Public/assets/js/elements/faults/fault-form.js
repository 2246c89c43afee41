// @ts-check
import { ApiError, call } from "../../api.js";
import { announce, busy, h, plainButton } from "../../helpers/dom.js";
import { setInvalid } from "../../helpers/fields.js";
import { faultSentence } from "./fault-words.js";
import { t } from "../../helpers/i18n.js";
import { problemText } from "../common/problem-view.js";
import { verbatimInput } from "../../helpers/verbatim-input.js";
import { kindGroups, lackedBy } from "../../models/faults/fault-groups.js";
import { fieldsOf, isOfTheDevice, isOfTime, isOfUse, numbers, ruleOf } from "../../models/faults/faults.js";
import { session } from "../../page.js";

/** The default of an empty field. @type {Record<string, string>} */
const usual = { status: "503", retry_after_seconds: "30", skip: "0", every: "1", probability: "100" };

/** @param {[string, string][]} list */
const options = (list) => list.map(([value, text]) => h("option", { value }, text));

/** A form for a rule, with its meaning in words and the number of calls that it would have matched. */
export class FaultForm extends HTMLElement {
  /** The rule that is edited, null for a new one. @type {string | null} */
  #editing = null;
  /** The part of the edited rule's match that has no fields. @type {import("../../models/faults/faults.js").FaultMatch} */
  #kept = {};
  #preview = { timer: 0, turn: 0, match: "" };
  #said = h("output", { class: "notice fault-meaning", id: "fault-meaning" });
  #matched = h("p", { class: "hint", id: "fault-matched", role: "status" });
  #problem = h("p", { class: "field-error", role: "alert", id: "fault-problem" });
  /** @type {Map<string, HTMLInputElement | HTMLSelectElement>} */
  #fields = new Map();
  /** @type {HTMLElement | null} */
  #endpoints = null;

  connectedCallback() {
    if (this.childElementCount) return;
    this.hidden = true;
    const endpoints = h("datalist", { id: "fault-endpoints" });
    this.heading = h("h3", { id: "fault-form-title" }, t("fault.new"));
    this.submit = h("button", { type: "submit", class: "button button-primary", id: "arm-fault" }, t("fault.arm"));
    const cancel = plainButton("button", { id: "cancel-fault", onclick: () => this.#leave() }, t("action.cancel"));
    const kind = h(
      "select",
      { class: "input input-small" },
      ...Object.entries(kindGroups).map(([group, names]) =>
        h(
          "optgroup",
          { label: t(`fault.group.${group}`) },
          ...options(
            names.filter((one) => !lackedBy(one, session.state?.config?.hidden ?? []))
              .map((one) => [one, t(`fault.kind.${one}`)]),
          ),
        )
      ),
    );
    const method = h(
      "select",
      { class: "input input-small" },
      ...options([
        ["", t("fault.any_method")],
        ...["GET", "POST", "PUT", "PATCH", "DELETE"].map((one) => /** @type {[string, string]} */ ([one, one])),
      ]),
    );
    const expires = h(
      "select",
      { class: "input input-small" },
      ...options(["60", "900", "3600", "0"].map((one) => [one, t(`fault.expires.${one}`)])),
    );
    const form = h(
      "form",
      { class: "stack fault-form", novalidate: true, "aria-labelledby": "fault-form-title" },
      this.heading,
      this.#field("kind", kind),
      h(
        "div",
        { class: "fault-fields" },
        this.#field("method", method),
        this.#field("endpoint", this.#box("endpoint", { list: "fault-endpoints", placeholder: t("fault.any_endpoint") })),
        endpoints,
        ...["status", "code", "retry_after_seconds", "latency_ms", "skew_seconds"].map((name) =>
          this.#field(name, this.#box(name))
        ),
      ),
      h(
        "details",
        {},
        h("summary", {}, t("fault.more")),
        h(
          "div",
          { class: "fault-fields", id: "fault-finer" },
          ...["skip", "every", "count", "probability", "seed"].map((name) => this.#field(name, this.#box(name))),
          this.#field("expires", expires),
          this.#field("name", h("input", { class: "input input-small", dir: "auto", maxlength: 60 })),
        ),
      ),
      this.#matched,
      h("div", { class: "fault-foot" }, this.#said, this.#problem, h("div", { class: "row" }, this.submit, cancel)),
    );
    this.append(form);
    this.#put({ kind: "status", expires: "900" });
    form.addEventListener("input", () => this.#changed());
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (this.submit) void busy(this.submit, () => this.#arm());
    });
    this.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || event.defaultPrevented) return;
      // It leaves the form alone; the next press leaves the faults.
      event.preventDefault();
      event.stopPropagation();
      this.#leave();
    });
    this.#endpoints = endpoints;
  }

  /** @param {string} name @param {Record<string, string>} [more] */
  #box(name, more) {
    const isNumber = Object.hasOwn(numbers, name);
    return verbatimInput({ inputmode: isNumber ? "numeric" : "text", placeholder: usual[name], ...more });
  }

  /** @param {string} name @param {HTMLInputElement | HTMLSelectElement} control */
  #field(name, control) {
    control.id = `fault-${name}`;
    control.setAttribute("aria-describedby", `fault-${name}-error`);
    this.#fields.set(name, control);
    return h(
      "div",
      { class: "field", "data-field": name },
      h("label", { for: control.id }, t(`fault.${name}`)),
      control,
      h("p", { class: "field-error", id: `fault-${name}-error` }),
    );
  }

  #values() {
    return Object.fromEntries([...this.#fields].map(([name, control]) => [name, control.value]));
  }

  #rule() {
    const { draft, problems } = ruleOf(this.#values());
    if (!isOfTheDevice(draft.action.kind)) draft.match = { ...this.#kept, ...draft.match };
    return { draft, problems };
  }

  /** @param {Record<string, string>} values */
  #put(values) {
    for (const [name, control] of this.#fields) control.value = values[name] ?? "";
    this.#changed();
  }

  /** Begins a new rule. @param {Record<string, string>} [given] its known values, by field */
  start(given = {}) {
    this.#begin(null, { kind: "status", expires: "900", ...given });
  }

  /** Puts a rule into the form, to be changed. @param {import("../../models/faults/faults.js").Fault} fault */
  edit(fault) {
    const { method: _, endpoint: __, ...kept } = fault.match ?? {};
    this.#kept = kept;
    this.#begin(fault.id, fieldsOf(fault));
    const details = this.querySelector("details");
    if (details) details.open = Object.keys(fault.when ?? {}).length > 0;
  }

  /** @param {string | null} id @param {Record<string, string>} values */
  #begin(id, values) {
    this.#editing = id;
    if (!id) this.#kept = {};
    if (this.heading) this.heading.textContent = t(id ? "fault.edit_title" : "fault.new");
    if (this.submit) this.submit.textContent = t(id ? "fault.save" : "fault.arm");
    this.#problem.textContent = "";
    this.#put(values);
    this.hidden = false;
    this.dispatchEvent(new Event("mode"));
    this.#fields.get("kind")?.focus();
    this.scrollIntoView({ block: "start" });
    if (this.#endpoints) void this.#suggest(this.#endpoints);
  }

  #leave() {
    this.hidden = true;
    this.dispatchEvent(new Event("mode"));
  }

  #changed() {
    const values = this.#values();
    const kind = values.kind ?? "status";
    for (const row of this.querySelectorAll("[data-field]")) {
      if (row instanceof HTMLElement) row.hidden = !isOfUse(row.dataset.field ?? "", values);
    }
    this.#placeDelay(kind);
    const { draft, problems } = this.#rule();
    this.#showProblems(problems, false);
    this.#said.textContent = faultSentence(draft);
    const match = JSON.stringify(draft.match);
    this.#matched.hidden = isOfTheDevice(kind);
    if (match === this.#preview.match) return;
    this.#preview.match = match;
    clearTimeout(this.#preview.timer);
    this.#preview.timer = setTimeout(() => void this.#count(match), 200);
  }

  /** A delay stands with the main fields if the kind is about time, else with the finer ones. @param {string} kind */
  #placeDelay(kind) {
    const field = this.querySelector('[data-field="latency_ms"]');
    const place = isOfTime(kind) ? this.querySelector(".fault-fields") : this.querySelector("#fault-finer");
    if (field && place && field.parentElement !== place) place.append(field);
  }

  /** @param {string} match */
  async #count(match) {
    const turn = this.#preview.turn += 1;
    try {
      const answer = await call("POST", "/api/faults/preview", { body: { match: JSON.parse(match) } });
      if (turn !== this.#preview.turn) return;
      this.#matched.textContent = answer.of
        ? t("fault.matched", { n: answer.of, matched: answer.matched })
        : t("fault.no_calls");
    } catch {
      // This is only a hint; other parts of the page report that the console is away.
      this.#matched.textContent = "";
      this.#preview.match = "";
    }
  }

  /**
   * Marks invalid fields; `moves` moves the focus to the first.
   * @param {Record<string, {key: string, low?: number, high?: number}>} problems @param {boolean} moves
   */
  #showProblems(problems, moves) {
    let first = true;
    for (const [name, control] of this.#fields) {
      const problem = problems[name];
      const place = this.querySelector(`#fault-${name}-error`);
      // An empty field is not wrong while a person types.
      const isShown = problem && (moves || control.value.trim() !== "");
      if (place) place.textContent = isShown ? t(problem.key, { low: problem.low ?? 0, high: problem.high ?? 0 }) : "";
      setInvalid(control, Boolean(isShown));
      if (!isShown || !moves || !first) continue;
      first = false;
      const details = control.closest("details");
      if (details) details.open = true;
      control.focus();
    }
  }

  async #arm() {
    const { draft, problems } = this.#rule();
    this.#showProblems(problems, true);
    if (Object.keys(problems).length) return;
    const kind = draft.action.kind;
    try {
      if (this.#editing) await call("PATCH", `/api/faults/${this.#editing}`, { body: { ...draft, armed: true } });
      else await call("POST", "/api/faults", { body: { name: t(`fault.kind.${kind}`), ...draft } });
      this.#problem.textContent = "";
      announce(t("fault.armed_said", { name: draft.name ?? t(`fault.kind.${kind}`) }));
      this.#leave();
      await session.load();
      this.dispatchEvent(new Event("armed"));
    } catch (error) {
      const isFull = error instanceof ApiError && error.code === "invalid_request" && !error.field;
      this.#problem.textContent = isFull ? t("fault.full") : problemText(error);
    }
  }

  /** Offers the endpoints of the device's log. @param {HTMLElement} list */
  async #suggest(list) {
    try {
      const { events: rows } = await call("GET", "/api/network?limit=1000");
      const names = new Set(rows.map((/** @type {{path: string}} */ row) => row.path));
      list.replaceChildren(...[...names].toSorted().map((value) => h("option", { value })));
    } catch {
      // Endpoints that are not suggested can be typed.
    }
  }
}

customElements.define("fault-form", FaultForm);
