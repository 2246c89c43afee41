// @ts-check
import { h, icon, plainButton } from "../../helpers/dom.js";
import { t } from "../../helpers/i18n.js";
import { verbatimInput } from "../../helpers/verbatim-input.js";

/** Headers that are often wanted. */
const suggestions = ["Accept", "Accept-Language", "Cache-Control", "Content-Type", "If-None-Match", "Range", "User-Agent"];

/** The lines of a request's headers, which can be added, edited and removed. */
export class ComposerHeaders {
  #list = h("ul", { class: "header-list" });
  #add = plainButton("button button-small", { id: "add-header" }, t("compose.add_header"));
  /** Shows the error of a header. */
  fault = h("p", { class: "field-error", id: "compose-headers-fault" });
  element = h(
    "fieldset",
    { class: "field" },
    h("legend", { class: "label" }, t("detail.headers")),
    h("datalist", { id: "header-names" }, ...suggestions.map((value) => h("option", { value }))),
    this.#list,
    this.fault,
    h("div", {}, this.#add),
  );
  #changed;

  /** @param {() => void} changed called after a line was added or removed */
  constructor(changed) {
    this.#changed = changed;
    this.#add.addEventListener("click", () => {
      this.#append("", "").focus();
      changed();
    });
  }

  /** The headers as they are typed; a line without a name and a value is none. @returns {[string, string][]} */
  get value() {
    return this.#lines().map(([name, value]) => /** @type {[string, string]} */ ([name.value.trim(), value.value.trim()]))
      .filter(([name, value]) => name || value);
  }

  set value(headers) {
    this.#list.replaceChildren();
    for (const [name, value] of headers) this.#append(name, value);
  }

  /** Marks the header at this place of `value` as wrong, or none. @param {number | undefined} at */
  mark(at) {
    const filled = this.#lines().filter(([name, value]) => name.value.trim() || value.value.trim());
    for (const [name] of this.#lines()) {
      const isWrong = at !== undefined && filled[at]?.[0] === name;
      name.setAttribute("aria-invalid", String(isWrong));
      if (isWrong) name.setAttribute("aria-describedby", this.fault.id);
      else name.removeAttribute("aria-describedby");
    }
  }

  /** Focuses the header that is marked as wrong, or the last one if there are too many. */
  focus() {
    const wrong = this.#list.querySelector('[aria-invalid="true"]') ?? this.#lines().at(-1)?.[0];
    if (wrong instanceof HTMLElement) wrong.focus();
  }

  /** @returns {[HTMLInputElement, HTMLInputElement][]} */
  #lines() {
    return [...this.#list.children].map((line) =>
      /** @type {[HTMLInputElement, HTMLInputElement]} */ ([...line.querySelectorAll("input")])
    );
  }

  /** @param {string} name @param {string} value */
  #append(name, value) {
    /** @param {string} label @param {string} text @param {string | null} list */
    const input = (label, text, list) => {
      const made = verbatimInput({
        class: "input input-small mono",
        "aria-label": label,
        placeholder: label,
        list,
        "data-secret": list ? null : "",
      });
      made.value = text;
      return made;
    };
    const first = input(t("compose.header_name"), name, "header-names");
    const remove = plainButton("button button-quiet button-icon", { "aria-label": t("compose.remove_header") }, icon("close"));
    const line = h("li", {}, first, input(t("compose.header_value"), value, null), remove);
    remove.addEventListener("click", () => {
      const near = line.nextElementSibling ?? line.previousElementSibling;
      line.remove();
      (near?.querySelector("button") ?? this.#add).focus();
      this.#changed();
    });
    this.#list.append(line);
    return first;
  }
}
