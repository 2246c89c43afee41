// @ts-check
import { ApiError, call } from "../../api.js";
import { announce, busy, h, icon, need } from "../../helpers/dom.js";
import { openDialog } from "../../helpers/dialog.js";
import { t } from "../../helpers/i18n.js";
import { problemText } from "../../helpers/problem-view.js";
import {
  blankDraft,
  callOf,
  draftOf,
  firstMask,
  isBodyLost,
  isJSON,
  isSafe,
  methods,
  problemsOf,
} from "../../models/exports/composer.js";
import { loadWords, session } from "../../page.js";

/** @typedef {import("../../models/exports/composer.js").Draft} Draft */
/** @typedef {import("../../models/exports/composer.js").Sent} Sent */

/** A button that opens the composer. Dispatches a cancelable `show-row` with the id of the new row. */
class RequestComposer extends HTMLElement {
  connectedCallback() {
    need(this, "button", HTMLElement).addEventListener("click", () => void this.open());
  }

  /** Opens an empty composer. */
  async open() {
    await openComposer((id) => {
      const event = new CustomEvent("show-row", { bubbles: true, cancelable: true, detail: id });
      if (this.dispatchEvent(event)) location.assign(`/network?row=${encodeURIComponent(id)}`);
    });
  }
}

/**
 * Opens the composer.
 * @param {(id: string) => void} sent hears of the row that it made
 * @param {Sent | null} [row] to send again, changed
 */
export async function openComposer(sent, row = null) {
  await loadWords("exports");
  const draft = row ? draftOf(row) : blankDraft();
  const form = new ComposerForm(draft, row);
  const dialog = await openDialog("composer", t(row ? "compose.again_title" : "compose.title"), form.element);
  if (!dialog) return;
  form.path.focus();
  form.element.addEventListener("submit", (event) => {
    event.preventDefault();
    void form.submit((id) => {
      dialog.close();
      announce(t("replay.sent"));
      sent(id);
    });
  });
}

/** The composer's form over a draft. */
class ComposerForm {
  #row;
  #method;
  #query;
  #body = h("textarea", {
    class: "input mono",
    id: "compose-body",
    rows: 8,
    dir: "ltr",
    spellcheck: "false",
    autocomplete: "off",
    "aria-describedby": "compose-body-note",
  });
  #auth;
  #confirm = h("input", { type: "checkbox", id: "compose-confirm" });
  #send = h("button", { type: "submit", class: "button button-primary" }, t("compose.send"));
  #problem = h("p", { class: "field-error", role: "alert" });
  #bodyNote = h("p", { class: "small muted", id: "compose-body-note", role: "status" });
  #confirmWords = h("span", {});
  /** @type {Record<string, HTMLElement>} */
  #faults = {};
  #bodyField;
  #confirmField;

  /** @param {Draft} draft @param {Sent | null} row */
  constructor(draft, row) {
    this.#row = row;
    this.#method = h(
      "select",
      { class: "input", id: "compose-method" },
      ...methods.map((name) => h("option", { selected: name === draft.method }, name)),
    );
    this.path = input("compose-path", draft.path);
    this.#query = input("compose-query", draft.query);
    this.#body.value = draft.body;
    this.#auth = h("input", {
      type: "checkbox",
      role: "switch",
      class: "switch",
      id: "compose-auth",
      checked: draft.auth,
    });
    for (const name of ["path", "query", "confirm"]) {
      this.#faults[name] = h("p", { class: "field-error", id: `compose-${name}-fault` });
    }
    this.#bodyField = field(t("compose.body"), this.#body, this.#bodyNote);
    this.#confirmField = h(
      "div",
      { class: "field" },
      h("label", { class: "row" }, this.#confirm, this.#confirmWords),
      this.#faults.confirm,
    );
    const mask = firstMask(draft);
    this.element = h(
      "form",
      { class: "composer", novalidate: true },
      h("p", { class: "small muted" }, t("compose.where", { backend: session.state?.backend.url ?? "" })),
      row && isBodyLost(row)
        ? h("p", { class: "notice", "data-tone": "warn" }, icon("alert"), t("compose.body_kept"))
        : null,
      field(t("compose.method"), this.#method),
      field(t("compose.path"), this.path, this.#faults.path),
      field(t("compose.query"), this.#query, this.#faults.query),
      this.#bodyField,
      mask ? h("p", { class: "small muted" }, t("compose.masks", { example: mask })) : null,
      h("label", { class: "switch-line" }, this.#auth, h("span", {}, t("compose.auth"))),
      this.#confirmField,
      this.#problem,
      h("div", { class: "row" }, this.#send),
    );
    this.element.addEventListener("input", () => this.#changed(false));
    this.#changed(false);
  }

  /** What is typed. @returns {Draft} */
  get draft() {
    return {
      method: this.#method.value,
      path: this.path.value.trim(),
      query: this.#query.value.trim(),
      body: this.#body.value,
      auth: this.#auth.checked,
      confirm: this.#confirm.checked,
    };
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
    this.#bodyNote.textContent = isJSON(draft.body) ? "" : t("compose.body_wrong");
    const problems = problemsOf(draft);
    for (const [name, fault] of Object.entries(this.#faults)) {
      const problem = problems.find((one) => one.field === name);
      const isShown = Boolean(problem) && (isSubmitted || fault.textContent !== "");
      fault.textContent = problem && isShown ? t(problem.key) : "";
      const control = { path: this.path, query: this.#query, confirm: this.#confirm }[name];
      control?.setAttribute("aria-invalid", String(isShown));
      control?.setAttribute("aria-describedby", fault.id);
    }
    return problems;
  }

  /** @param {(id: string) => void} done */
  async submit(done) {
    const [first] = this.#changed(true);
    if (first) return { path: this.path, query: this.#query, confirm: this.#confirm }[first.field].focus();
    await busy(this.#send, async () => {
      try {
        const { path, body } = callOf(this.draft, this.#row);
        const answer = await call("POST", path, { body });
        done(answer.id);
      } catch (error) {
        const name = error instanceof ApiError ? error.field ?? "" : "";
        const fault = this.#faults[name];
        const words = { path: "compose.path_wrong", query: "compose.query_wrong" }[name];
        if (fault && words) fault.textContent = t(words);
        else this.#problem.textContent = problemText(error);
      }
    });
  }
}

/** @param {string} id @param {string} value */
function input(id, value) {
  const made = h("input", {
    class: "input mono",
    id,
    type: "text",
    dir: "ltr",
    autocomplete: "off",
    autocapitalize: "none",
    spellcheck: "false",
  });
  made.value = value;
  return made;
}

/** @param {string} label @param {HTMLElement} control @param {...(HTMLElement | undefined)} rest */
const field = (label, control, ...rest) =>
  h("div", { class: "field" }, h("label", { for: control.id }, label), control, ...rest);

customElements.define("request-composer", RequestComposer);
