// @ts-check
import { ApiError, call } from "../../api.js";
import { announce, busy, h } from "../../helpers/dom.js";
import { faultSentence } from "./fault-words.js";
import { t } from "../../helpers/i18n.js";
import { problemText } from "../../helpers/problem-view.js";
import { fieldsOf, isOfTheDevice, kinds, numbers, ruleOf } from "../../models/faults/faults.js";
import { session } from "../../page.js";

/** A form for a rule, with its meaning in words and the number of calls that it would have matched. */
export class FaultForm extends HTMLElement {
  /** The rule that is edited, null for a new one. @type {string | null} */
  #editing = null;
  #preview = { timer: 0, turn: 0, match: "" };
  #said = h("output", { class: "notice fault-meaning", id: "fault-meaning" });
  #matched = h("p", { class: "hint", id: "fault-matched", role: "status" });
  #problem = h("p", { class: "field-error", role: "alert", id: "fault-problem" });
  /** @type {Map<string, HTMLInputElement | HTMLSelectElement>} */
  #fields = new Map();

  connectedCallback() {
    if (this.childElementCount) return;
    const options = (/** @type {[string, string][]} */ list) =>
      list.map(([value, text]) => h("option", { value }, text));
    const endpoints = h("datalist", { id: "fault-endpoints" });
    this.heading = h("h3", { id: "fault-form-title" }, t("fault.new"));
    this.submit = h("button", { type: "submit", class: "button button-primary", id: "arm-fault" }, t("fault.arm"));
    this.cancel = h("button", { type: "button", class: "button", id: "cancel-fault", hidden: true }, t("fault.cancel"));
    const form = h(
      "form",
      { class: "stack fault-form", novalidate: true, "aria-labelledby": "fault-form-title" },
      this.heading,
      h(
        "div",
        { class: "fault-fields" },
        this.#field(
          "kind",
          h(
            "select",
            { class: "input input-small" },
            ...options(Object.keys(kinds).map((kind) => [kind, t(`fault.kind.${kind}`)])),
          ),
        ),
        this.#field(
          "method",
          h(
            "select",
            { class: "input input-small" },
            ...options([
              ["", t("fault.any_method")],
              ...["GET", "POST", "PUT", "PATCH", "DELETE"].map((one) => /** @type {[string, string]} */ ([one, one])),
            ]),
          ),
        ),
        this.#field(
          "endpoint",
          h("input", {
            class: "input input-small",
            list: "fault-endpoints",
            dir: "ltr",
            autocapitalize: "none",
            spellcheck: "false",
            placeholder: t("fault.any_endpoint"),
          }),
        ),
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
          { class: "fault-fields" },
          ...["skip", "every", "count", "probability", "seed"].map((name) => this.#field(name, this.#box(name))),
          this.#field(
            "expires",
            h(
              "select",
              { class: "input input-small" },
              ...options(["60", "900", "3600", "0"].map((one) => [one, t(`fault.expires.${one}`)])),
            ),
          ),
          this.#field("name", h("input", { class: "input input-small", dir: "auto", maxlength: 60 })),
        ),
      ),
      this.#said,
      this.#matched,
      this.#problem,
      h("div", { class: "row" }, this.submit, this.cancel),
    );
    this.append(form);
    this.#put({ kind: "status", expires: "900" });
    form.addEventListener("input", () => this.#changed());
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      if (this.submit) void busy(this.submit, () => this.#arm());
    });
    this.cancel.addEventListener("click", () => this.#reset());
    void this.#suggest(endpoints);
  }

  /** @param {string} name */
  #box(name) {
    const isNumber = Object.hasOwn(numbers, name);
    return h("input", {
      class: "input input-small",
      inputmode: isNumber ? "numeric" : "text",
      dir: "ltr",
      autocomplete: "off",
      spellcheck: "false",
    });
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

  /** @param {Record<string, string>} values */
  #put(values) {
    for (const [name, control] of this.#fields) control.value = values[name] ?? "";
    this.#changed();
  }

  #reset() {
    this.#editing = null;
    this.#put({ kind: "status", expires: "900" });
    this.#showMode();
  }

  /** Puts a rule into the form, to be changed. @param {import("../../models/faults/faults.js").Fault} fault */
  edit(fault) {
    this.#editing = fault.id;
    this.#put(fieldsOf(fault));
    const details = this.querySelector("details");
    if (details) details.open = true;
    this.#showMode();
    this.#fields.get("kind")?.focus();
  }

  #showMode() {
    if (this.heading) this.heading.textContent = t(this.#editing ? "fault.edit_title" : "fault.new");
    if (this.submit) this.submit.textContent = t(this.#editing ? "fault.save" : "fault.arm");
    if (this.cancel) this.cancel.hidden = !this.#editing;
  }

  #changed() {
    const values = this.#values();
    const kind = values.kind ?? "status";
    for (const row of this.querySelectorAll("[data-field]")) {
      if (!(row instanceof HTMLElement)) continue;
      const name = row.dataset.field ?? "";
      const part = numbers[name]?.[2] ??
        (name === "code" ? "action" : ["method", "endpoint"].includes(name) ? "match" : "");
      row.hidden = part === "action"
        ? !kinds[kind]?.includes(name)
        : part !== "" && isOfTheDevice(kind) && name !== "count";
    }
    const { draft, problems } = ruleOf(values);
    this.#showProblems(problems, false);
    this.#said.textContent = faultSentence(draft);
    const match = JSON.stringify(draft.match);
    this.#matched.hidden = isOfTheDevice(kind);
    if (match === this.#preview.match) return;
    this.#preview.match = match;
    clearTimeout(this.#preview.timer);
    this.#preview.timer = setTimeout(() => void this.#count(match), 200);
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
      // An empty field is not wrong while somebody types.
      const isShown = problem && (moves || control.value.trim() !== "");
      if (place) place.textContent = isShown ? t(problem.key, { low: problem.low ?? 0, high: problem.high ?? 0 }) : "";
      if (isShown) control.setAttribute("aria-invalid", "true");
      else control.removeAttribute("aria-invalid");
      if (!isShown || !moves || !first) continue;
      first = false;
      const details = control.closest("details");
      if (details) details.open = true;
      control.focus();
    }
  }

  async #arm() {
    const { draft, problems } = ruleOf(this.#values());
    this.#showProblems(problems, true);
    if (Object.keys(problems).length) return;
    const kind = draft.action.kind;
    try {
      if (this.#editing) await call("PATCH", `/api/faults/${this.#editing}`, { body: { ...draft, armed: true } });
      else await call("POST", "/api/faults", { body: { name: t(`fault.kind.${kind}`), ...draft } });
      this.#problem.textContent = "";
      announce(t("fault.armed_said", { name: draft.name ?? t(`fault.kind.${kind}`) }));
      this.#reset();
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
