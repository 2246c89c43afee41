// @ts-check
import { announce, h, icon, plainButton } from "../../helpers/dom.js";
import { field, setInvalid } from "../../helpers/fields.js";
import { t } from "../../helpers/i18n.js";
import { verbatimInput } from "../../helpers/verbatim-input.js";
import { firstMask, isJSON } from "../../models/exports/composer.js";
import { bodyLimit, commonStatuses, headersOf, isAnswerLost, isBodiless, lostHeaders } from "../../models/faults/answers.js";

/**
 * @typedef {import("../../models/faults/answers.js").AnswerDraft} AnswerDraft
 * @typedef {import("../../models/faults/answers.js").AnsweredRow} AnsweredRow
 * @typedef {Record<string, {key: string, parameters?: Record<string, number>}>} Problems
 */

/** The form of a response: status, body and headers, which calls get it, and for how long. */
export class AnswerForm {
  #start;
  #body = area("answer-body", 9);
  #headers = area("answer-headers", 4);
  #status = box("answer-status", { inputmode: "numeric", maxlength: 3 });
  #latency = box("answer-latency", { inputmode: "numeric" });
  #path = box("answer-path");
  #name = box("answer-name", { maxlength: 60, dir: "auto", spellcheck: "true" });
  #method = choice("answer-method", [
    ["", "fault.any_method"],
    ...methods.map((one) => /** @type {Option} */ ([one, ""])),
  ]);
  #times;
  #expires = choice("answer-expires", ["60", "900", "3600", "0"].map((one) => [one, `fault.expires.${one}`]));
  #query = h("input", { type: "checkbox", id: "answer-query" });
  #request = h("input", { type: "checkbox", id: "answer-request" });
  #file = h("input", { type: "file", hidden: true, tabindex: -1, "aria-hidden": "true" });
  #hint = h("p", { class: "hint", id: "answer-body-hint", role: "status" });
  #calls = h("bdi", { class: "mono", dir: "ltr" });
  #headerCount = h("span");
  #chips;
  /** The place of each field's problem. @type {Record<string, HTMLElement>} */
  #problems = {};
  /** Of the whole rule. */
  problem = h("p", { class: "field-error", role: "alert" });
  save = h("button", { type: "submit", class: "button button-primary", id: "save-answer" }, t("fault.save"));

  /** @param {AnswerDraft} draft @param {AnsweredRow | null} row */
  constructor(draft, row) {
    this.#start = draft;
    const times = ["", "1", ...(["", "1"].includes(draft.times) ? [] : [draft.times])];
    this.#times = choice(
      "answer-times",
      times.map((one) => [one, one === "" ? "answer.times.always" : "answer.times.n"]),
    );
    this.#chips = commonStatuses.map((status) => {
      const press = () => {
        this.#status.value = status;
        this.#changed();
      };
      return plainButton("button button-small", {
        "data-status": status,
        "aria-label": t("answer.set_status", { status }),
        // The press of a mouse leaves the focus where the user types.
        onmousedown: (/** @type {Event} */ event) => event.preventDefault(),
        onclick: press,
      }, status);
    });
    this.element = this.#make(row);
    this.#put(draft);
    this.element.addEventListener("input", () => this.#changed());
    this.#file.addEventListener("change", () => void this.#load());
  }

  /** @param {AnsweredRow | null} row */
  #make(row) {
    const { query, requestBody } = this.#start;
    const lost = row ? lostHeaders(row) : 0;
    const mask = firstMask({ path: "", query: query ?? "", body: `${this.#start.body} ${requestBody ?? ""}` });
    const load = plainButton("button button-small", { id: "load-answer", onclick: () => this.#file.click() }, t("answer.load"));
    this.#body.setAttribute("aria-describedby", "answer-body-hint answer-body-error");
    return h(
      "form",
      { class: "answer-form", novalidate: true },
      h("p", { class: "small muted" }, t("answer.lead")),
      row && isAnswerLost(row)
        ? h("p", { class: "notice", "data-tone": "warn" }, icon("alert"), t("answer.body_gone"))
        : null,
      h(
        "div",
        { class: "stack-tight" },
        h("p", {}, this.#calls),
        query === null ? null : this.#limit("query", this.#query, t("answer.same_query", { query })),
        requestBody === null ? null : this.#limit("request", this.#request, t("answer.same_body")),
      ),
      this.#field(
        "status",
        t("fault.status"),
        this.#status,
        h("div", { class: "row", role: "group", "aria-label": t("answer.common") }, ...this.#chips),
      ),
      this.#field("body", t("answer.body"), this.#body, this.#hint, h("div", { class: "row" }, load, this.#file)),
      mask ? h("p", { class: "small muted" }, t("answer.masks", { example: mask })) : null,
      h(
        "div",
        { class: "fault-fields" },
        this.#field("latency", t("fault.latency_ms"), this.#latency),
        this.#field("times", t("answer.times"), this.#times),
        this.#field("expires", t("fault.expires"), this.#expires),
      ),
      h(
        "details",
        {},
        h("summary", {}, this.#headerCount),
        this.#field("headers", t("answer.headers"), this.#headers),
        lost ? h("p", { class: "small muted" }, t("answer.headers_left", { n: lost })) : null,
      ),
      h(
        "details",
        {},
        h("summary", {}, t("answer.more")),
        h(
          "div",
          { class: "fault-fields" },
          this.#field("method", t("compose.method"), this.#method),
          this.#field("path", t("compose.path"), this.#path),
          this.#field("name", t("fault.name"), this.#name),
        ),
      ),
      this.problem,
      h("div", { class: "row answer-end" }, this.save),
    );
  }

  /** Moves the focus to the first field. @param {boolean} isFilled whether only the response is edited */
  start(isFilled) {
    if (!isFilled) { for (const details of this.element.querySelectorAll("details")) details.open = true; }
    const control = isFilled ? this.#body : this.#path;
    control.focus();
    control.setSelectionRange(0, 0);
    control.scrollTop = 0;
  }

  /** The typed values. @returns {AnswerDraft} */
  get draft() {
    return {
      ...this.#start,
      name: this.#name.value,
      method: this.#method.value,
      path: this.#path.value,
      isSameQuery: this.#query.checked,
      isSameBody: this.#request.checked,
      status: this.#status.value,
      headers: this.#headers.value,
      body: this.#body.value,
      latency: this.#latency.value,
      times: this.#times.value,
      expires: this.#expires.value,
    };
  }

  /** @param {AnswerDraft} draft */
  #put(draft) {
    this.#name.value = draft.name;
    this.#method.value = draft.method;
    this.#path.value = draft.path;
    this.#query.checked = draft.isSameQuery;
    this.#request.checked = draft.isSameBody;
    this.#status.value = draft.status;
    this.#headers.value = draft.headers;
    this.#body.value = draft.body;
    this.#latency.value = draft.latency;
    this.#times.value = draft.times;
    this.#expires.value = draft.expires;
    this.#changed();
  }

  #changed() {
    const { draft } = this;
    this.#calls.textContent = `${draft.method || t("fault.any_method")} ${draft.path || draft.endpoint}`;
    const hint = draft.body && isBodiless(draft.status) ? "answer.no_body" : isJSON(draft.body) ? "" : "answer.not_json";
    this.#hint.textContent = hint && t(hint, { status: draft.status.trim() });
    const line = t("headers.count", { n: headersOf(draft.headers).headers.length });
    if (this.#headerCount.textContent !== line) this.#headerCount.textContent = line;
    for (const chip of this.#chips) {
      chip.setAttribute("aria-pressed", String(chip.dataset.status === draft.status.trim()));
    }
    this.problem.textContent = "";
    // A problem disappears as soon as a person types.
    this.show({}, false);
  }

  /**
   * Shows the errors and returns whether there are any; `moves` moves the focus to the first.
   * @param {Problems} problems @param {boolean} moves
   */
  show(problems, moves) {
    let first = moves;
    for (const [name, place] of Object.entries(this.#problems)) {
      const problem = problems[name];
      const control = this.element.querySelector(`#answer-${name}`);
      place.textContent = problem ? t(problem.key, problem.parameters) : "";
      setInvalid(control, Boolean(problem));
      if (!problem || !first || !(control instanceof HTMLElement)) continue;
      first = false;
      const details = control.closest("details");
      if (details) details.open = true;
      control.focus();
    }
    return Object.keys(problems).length > 0;
  }

  /** Takes the body from a file. */
  async #load() {
    const file = this.#file.files?.[0];
    if (!file) return;
    this.#file.value = "";
    try {
      if (file.size > bodyLimit) throw new RangeError("too large");
      this.#body.value = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
      this.#changed();
      announce(t("answer.loaded", { name: file.name }));
    } catch {
      this.show({ body: { key: "answer.file_bad" } }, true);
    }
  }

  /** @param {string} name @param {string} label @param {HTMLElement} control @param {...HTMLElement} rest */
  #field(name, label, control, ...rest) {
    return field(label, control, ...rest, this.#error(name, control));
  }

  /** @param {string} name @param {HTMLElement} control @param {string} label */
  #limit(name, control, label) {
    const words = h("span", { class: "answer-limit" }, label);
    return h("div", {}, h("label", { class: "row nowrap" }, control, words), this.#error(name, control));
  }

  /** @param {string} name @param {HTMLElement} control */
  #error(name, control) {
    const place = h("p", { class: "field-error", id: `answer-${name}-error` });
    if (!control.hasAttribute("aria-describedby")) control.setAttribute("aria-describedby", place.id);
    this.#problems[name] = place;
    return place;
  }
}

const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"];

/** @typedef {[value: string, key: string]} Option the key of its words; none for the value itself */

/** @param {string} id @param {number} rows */
const area = (id, rows) =>
  h("textarea", { class: "input mono", id, rows, dir: "ltr", spellcheck: "false", autocomplete: "off" });

/** @param {string} id @param {Record<string, string | number>} [attributes] */
const box = (id, attributes = {}) => verbatimInput({ id, ...attributes });

/** @param {string} id @param {Option[]} options */
const choice = (id, options) =>
  h(
    "select",
    { class: "input input-small", id },
    ...options.map(([value, key]) => h("option", { value }, key ? t(key, { n: Number(value) }) : value)),
  );
