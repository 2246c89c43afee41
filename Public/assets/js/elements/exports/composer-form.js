// @ts-check
import { ApiError, call } from "../../api.js";
import { announce, busy, h, icon } from "../../helpers/dom.js";
import { field } from "../../helpers/fields.js";
import { byteSize, t } from "../../helpers/i18n.js";
import { problemText } from "../common/problem-view.js";
import { verbatimInput } from "../../helpers/verbatim-input.js";
import { remember } from "../../models/exports/composed.js";
import { callOf, firstMask, headerLimits, isBodyLost, isJSON, isSafe } from "../../models/exports/composer.js";
import { methods, problemsOf, splitTarget } from "../../models/exports/composer.js";
import { session } from "../../page.js";
import { ComposerAnswer } from "./composer-answer.js";
import { ComposerHeaders } from "./composer-headers.js";
import { composedHistory, sentDrafts } from "./composer-history.js";
import { curlImport } from "./composer-import.js";

/** @typedef {import("../../models/exports/composer.js").Draft} Draft */
/** @typedef {import("../../models/exports/composer.js").Sent} Sent */

/** The composer's form over a draft, with the response below it. */
export class ComposerForm {
  #row;
  #signal;
  #method = h("select", { class: "input", id: "compose-method" }, ...methods.map((name) => h("option", {}, name)));
  path = verbatimInput({ id: "compose-path", class: "input mono" });
  #query = verbatimInput({ id: "compose-query", class: "input mono", "data-secret": "" });
  #headers = new ComposerHeaders(() => this.#changed(false));
  #body = h("textarea", {
    class: "input mono",
    id: "compose-body",
    rows: 6,
    dir: "ltr",
    spellcheck: "false",
    autocomplete: "off",
    "aria-describedby": "compose-body-note",
    "data-secret": "",
  });
  #auth = h("input", { type: "checkbox", role: "switch", class: "switch", id: "compose-auth" });
  #confirm = h("input", { type: "checkbox", id: "compose-confirm" });
  #send = h("button", { type: "submit", class: "button button-primary" }, t("compose.send"));
  #problem = h("p", { class: "field-error", role: "alert" });
  #bodyNote = h("p", { class: "small muted", id: "compose-body-note", role: "status" });
  #lost = h("p", { class: "notice", "data-tone": "warn" }, icon("alert"), t("compose.body_kept"));
  #masks = h("p", { class: "small muted" });
  #confirmWords = h("span", {});
  #faults = {
    path: h("p", { class: "field-error", id: "compose-path-fault" }),
    query: h("p", { class: "field-error", id: "compose-query-fault" }),
    headers: this.#headers.fault,
    confirm: h("p", { class: "field-error", id: "compose-confirm-fault" }),
  };
  #bodyField = field(t("compose.body"), this.#body, this.#bodyNote);
  #confirmField = h(
    "div",
    { class: "field" },
    h("label", { class: "choice" }, this.#confirm, this.#confirmWords),
    this.#faults.confirm,
  );
  #answer;

  /**
   * @param {Draft} draft
   * @param {Sent | null} row that is sent again
   * @param {AbortSignal} signal ends it
   * @param {(id: string) => void} show opens a row
   */
  constructor(draft, row, signal, show) {
    this.#row = row;
    this.#signal = signal;
    this.#answer = new ComposerAnswer(show);
    const backend = session.state?.backend.url ?? "";
    this.element = h(
      "form",
      { class: "composer", novalidate: true },
      h("p", { class: "small muted" }, t("compose.where", { backend })),
      row ? null : curlImport(backend, (read) => this.#fill(read, false)),
      row ? null : composedHistory((held, isLost) => this.#fill(held, isLost)),
      this.#lost,
      h(
        "div",
        { class: "composer-line" },
        field(t("compose.method"), this.#method),
        field(t("compose.path"), this.path, this.#faults.path),
      ),
      field(t("compose.query"), this.#query, this.#faults.query),
      this.#headers.element,
      this.#bodyField,
      this.#masks,
      h("label", { class: "switch-line" }, this.#auth, h("span", {}, t("compose.auth"))),
      this.#confirmField,
      this.#problem,
      h("div", { class: "row" }, this.#send),
      this.#answer.element,
    );
    this.#fill(draft, row !== null && isBodyLost(row));
    // Pasted text is in the field after the event.
    this.path.addEventListener("paste", () => setTimeout(() => this.#split()));
    this.path.addEventListener("change", () => this.#split());
    this.element.addEventListener("input", () => this.#changed(false));
    this.element.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.#submit();
    });
  }

  /** The typed values. @returns {Draft} */
  get draft() {
    return {
      method: this.#method.value,
      path: this.path.value.trim(),
      query: this.#query.value.trim(),
      headers: this.#headers.value,
      body: this.#body.value,
      auth: this.#auth.checked,
      confirm: this.#confirm.checked,
    };
  }

  /** Moves the query of a pasted path to its own field. */
  #split() {
    const { path, query } = splitTarget(this.path.value);
    if (query === null && path === this.path.value.trim()) return;
    this.path.value = path;
    if (query !== null) this.#query.value = query;
    this.#changed(false);
  }

  /** @param {Draft} draft @param {boolean} isLost whether its body was not stored */
  #fill(draft, isLost) {
    this.#method.value = draft.method;
    this.path.value = draft.path;
    this.#query.value = draft.query;
    this.#headers.value = draft.headers;
    this.#body.value = draft.body;
    this.#auth.checked = draft.auth;
    this.#confirm.checked = false;
    this.#lost.hidden = !isLost;
    const mask = firstMask(draft);
    this.#masks.textContent = mask ? t("compose.masks", { example: mask }) : "";
    this.#masks.hidden = !mask;
    for (const fault of Object.values(this.#faults)) fault.textContent = "";
    this.#changed(false);
  }

  /**
   * Shows the hints for the method and the body. Errors appear when the button is pressed and disappear when they are fixed.
   * @param {boolean} isSubmitted
   */
  #changed(isSubmitted) {
    const { draft } = this;
    this.#bodyField.hidden = isSafe(draft.method);
    this.#confirmField.hidden = isSafe(draft.method);
    this.#confirmWords.textContent = t("compose.unsafe", { method: draft.method });
    this.#bodyNote.textContent = isJSON(draft.body) || hasOtherType(draft) ? "" : t("compose.body_wrong");
    const problems = problemsOf(draft);
    for (const [name, fault] of Object.entries(this.#faults)) {
      const problem = problems.find((one) => one.field === name);
      const isShown = Boolean(problem) && (isSubmitted || fault.textContent !== "");
      fault.textContent = problem && isShown ? t(problem.key, { n: headerLimits.count, size: byteSize(headerLimits.bytes) }) : "";
      if (name === "headers") this.#headers.mark(isShown ? problem?.at : undefined);
      const control = { path: this.path, query: this.#query, confirm: this.#confirm }[name];
      control?.setAttribute("aria-invalid", String(isShown));
      control?.setAttribute("aria-describedby", fault.id);
    }
    return problems;
  }

  async #submit() {
    const [first] = this.#changed(true);
    if (first) {
      return { path: this.path, query: this.#query, headers: this.#headers, confirm: this.#confirm }[first.field].focus();
    }
    await busy(this.#send, async () => {
      const { draft } = this;
      const { path, body } = callOf(draft, this.#row);
      const answer = await call("POST", path, { body });
      this.#problem.textContent = "";
      sentDrafts.set(answer.id, draft);
      remember(localStorage, session.state?.device_id ?? "", answer.id);
      announce(t("compose.sent"));
      await this.#answer.follow(answer.id, this.#signal);
      this.#answer.element.scrollIntoView({ block: "nearest" });
    }, (error) => this.#fail(error));
  }

  /** @param {unknown} error */
  #fail(error) {
    const name = error instanceof ApiError ? error.field ?? "" : "";
    /** @type {Record<string, [HTMLElement, string]>} */
    const known = {
      path: [this.#faults.path, "compose.path_wrong"],
      query: [this.#faults.query, "compose.query_wrong"],
      headers: [this.#faults.headers, "compose.header_wrong"],
    };
    const [fault, words] = known[name] ?? [this.#problem, ""];
    fault.textContent = words ? t(words) : problemText(error);
  }
}

/** Whether a header declares another type than JSON. @param {Draft} draft */
const hasOtherType = (draft) =>
  draft.headers.some(([name, value]) => name.toLowerCase() === "content-type" && !/json/i.test(value));
