// @ts-check
import { h, need, plainButton } from "../../helpers/dom.js";
import { clockTime, t } from "../../helpers/i18n.js";
import { complete } from "../../models/network/filter-completion.js";
import { fields } from "../../models/network/filter-fields.js";
import { parseFilter } from "../../models/network/filter-syntax.js";
import { filterSentence, phrase } from "../../models/network/filter-words.js";

/** @typedef {import("../../models/network/row-store.js").RowStore} RowStore */

/** Examples of a field's values, by field. @type {Record<string, string>} */
const examples = {
  status: "status:4xx, status:>=500, status:err",
  method: "method:GET,POST",
  dur: "dur:>500ms, dur:1s..5s",
  size: "size:>100kb",
  is: "is:failed, is:pending, is:retried, is:faulted, is:pinned",
  source: "source:network, source:fault, source:tool",
  has: "has:body, has:error",
  drift: "drift:any, drift:missing",
  since: "since:5m, since:30s",
  between: "between:2026-01-31T09:00:00Z..2026-01-31T09:05:00Z",
};

/** How long typing pauses until the list is drawn, in milliseconds; the rows come first. */
const listPause = 50;

/** Browsers limit how often the address can change: this many times in this many milliseconds; then it waits for a pause in typing. */
const [addressChanges, addressSpan] = [40, 10_000];

/**
 * The filter's field as a combobox: completes values of the rows, reports errors with their place, and shows the filter as a
 * sentence of removable parts. Sets the field's text only after a user's choice, and then fires `input` on it.
 */
export class FilterField {
  #list;
  #problem;
  #says;
  /** @type {RowStore | null} */
  store = null;
  /** @type {import("../../models/network/filter-completion.js").Completion | null} */
  #completion = null;
  #chosen = -1;
  /** The list is due when this timer ends, or when a key needs it. */
  #listTimer = 0;
  #addressTimer = 0;
  /** @type {number[]} */
  #addressTimes = [];

  /** @param {HTMLElement} root */
  constructor(root) {
    this.input = need(root, "#filter", HTMLInputElement);
    this.#list = need(root, "#filter-list", HTMLElement);
    this.#problem = need(root, "#filter-problem", HTMLElement);
    this.#says = need(root, "#filter-says", HTMLElement);
    this.input.addEventListener("input", () => {
      clearTimeout(this.#listTimer);
      this.#listTimer = setTimeout(() => this.suggest(), listPause);
    });
    this.input.addEventListener("click", () => this.suggest());
    this.input.addEventListener("blur", () => this.close());
    // The log itself scrolls while it follows its end; only a person's scrolling closes the list.
    const close = (/** @type {Event} */ { target }) => {
      if (!(target instanceof Node && this.#list.contains(target))) this.close();
    };
    for (const kind of ["wheel", "touchmove"]) root.addEventListener(kind, close, { passive: true });
    this.#list.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      const option = event.target instanceof Element ? event.target.closest('[role="option"]') : null;
      if (option) this.#take(Number(option.getAttribute("data-index")));
    });
  }

  /** Whether the list is open. */
  get #isOpen() {
    return !this.#list.hidden;
  }

  /** Opens the list of completions at the caret. */
  suggest() {
    this.#cancelList();
    if (!this.store || document.activeElement !== this.input) return;
    const caret = this.input.selectionStart ?? this.input.value.length;
    this.#completion = complete(this.input.value, caret, this.store);
    this.#chosen = -1;
    const { items } = this.#completion;
    this.#list.replaceChildren(...items.map((item, index) =>
      h(
        "li",
        { role: "option", id: `filter-option-${index}`, "data-index": index, "aria-selected": "false" },
        h("bdi", { class: "mono", dir: "ltr" }, item.label),
        item.count === null
          ? h("span", { class: "faint" }, this.#about(item.text))
          : h("span", { class: "faint nums" }, t("rows.count", { n: item.count })),
      )
    ));
    this.#list.hidden = items.length === 0;
    this.input.setAttribute("aria-expanded", String(items.length > 0));
    this.input.removeAttribute("aria-activedescendant");
  }

  /** @param {string} text */
  #about(text) {
    const name = text.slice(0, text.indexOf(":"));
    return text.endsWith(":") ? t(`about.${name}`) : "";
  }

  #cancelList() {
    clearTimeout(this.#listTimer);
    this.#listTimer = 0;
  }

  close() {
    this.#cancelList();
    this.#list.hidden = true;
    this.#chosen = -1;
    this.input.setAttribute("aria-expanded", "false");
    this.input.removeAttribute("aria-activedescendant");
  }

  /** Takes a key of the field; false when it is none of the list's. @param {KeyboardEvent} event */
  key(event) {
    if (this.#listTimer) this.suggest();
    const count = this.#completion?.items.length ?? 0;
    if (event.key === "ArrowDown" && (!this.#isOpen || !count)) {
      if (!event.altKey) return false;
      this.suggest();
    } else if (!this.#isOpen) return false;
    else if (event.key === "ArrowDown") this.#choose((this.#chosen + 1) % count);
    else if (event.key === "ArrowUp") this.#choose(this.#chosen <= 0 ? count - 1 : this.#chosen - 1);
    else if ((event.key === "Enter" || event.key === "Tab") && this.#chosen >= 0) this.#take(this.#chosen);
    else if (event.key === "Escape") this.close();
    else return false;
    return true;
  }

  /** @param {number} index */
  #choose(index) {
    this.#chosen = index;
    for (const option of this.#list.children) {
      option.setAttribute("aria-selected", String(option.id === `filter-option-${index}`));
    }
    this.#list.children[index]?.scrollIntoView({ block: "nearest" });
    this.input.setAttribute("aria-activedescendant", `filter-option-${index}`);
  }

  /** @param {number} index */
  #take(index) {
    const item = this.#completion?.items[index];
    if (!item || !this.#completion) return;
    const { from, to } = this.#completion;
    const rest = this.input.value.slice(to);
    this.input.value = this.input.value.slice(0, from) + item.text +
      (item.text.endsWith(" ") ? rest.trimStart() : rest);
    this.input.setSelectionRange(from + item.text.length, from + item.text.length);
    this.input.focus();
    this.input.dispatchEvent(new Event("input"));
  }

  /** Keeps the text in the address. @param {(text: string) => void} write */
  keep(write) {
    const now = performance.now();
    this.#addressTimes = this.#addressTimes.filter((one) => one > now - addressSpan);
    clearTimeout(this.#addressTimer);
    if (this.#addressTimes.length < addressChanges) {
      this.#addressTimes.push(now);
      write(this.input.value.trim());
    } else this.#addressTimer = setTimeout(() => write(this.input.value.trim()), 500);
  }

  /** Parses the field's text and shows its errors and its meaning. */
  read() {
    const text = this.input.value;
    const parsed = parseFilter(text);
    const [problem] = parsed.problems;
    this.#problem.textContent = problem ? t("filter.at", { n: problem.at + 1, problem: this.#told(problem) }) : "";
    this.#problem.hidden = !problem;
    this.input.setAttribute("aria-invalid", String(Boolean(problem)));
    this.#explain(parsed.expression, text);
    return parsed;
  }

  /** @param {import("../../models/network/filter-syntax.js").FilterProblem} problem */
  #told({ key, term, hint }) {
    const parameters = { term, hint: hint ?? "", fields: fields.join(", "), examples: examples[hint ?? ""] ?? "" };
    return t(key === "filter.unknown_field" && hint ? "filter.unknown_field.hint" : key, parameters);
  }

  /** @param {import("../../models/network/filter-syntax.js").Group} expression @param {string} text */
  #explain(expression, text) {
    const say = /** @type {import("../../models/network/filter-words.js").Translate} */ (t);
    // A single term is clear by itself, and a line for it would move the rows.
    const [only, another] = expression.items;
    this.#says.hidden = !only || (!another && only.type === "term");
    if (expression.type === "or" || this.#says.hidden) {
      this.#says.replaceChildren(h("span", { dir: "auto" }, filterSentence(expression, say, clockTime)));
      return;
    }
    this.#says.replaceChildren(
      h("span", { class: "visually-hidden" }, filterSentence(expression, say, clockTime)),
      ...expression.items.map((item) => {
        const what = phrase(item, say, clockTime);
        const remove = () => {
          this.input.value = `${text.slice(0, item.at).trimEnd()} ${text.slice(item.end).trimStart()}`.trim();
          this.input.focus();
          this.input.dispatchEvent(new Event("input"));
          this.close();
        };
        return h(
          "span",
          { class: "chip" },
          h("span", { class: "chip-text", dir: "auto", "aria-hidden": "true", title: what }, what),
          plainButton("chip-remove", { "aria-label": t("filter.remove", { what }), onclick: remove }, "×"),
        );
      }),
    );
  }
}
