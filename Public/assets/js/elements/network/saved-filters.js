// @ts-check
import { openDialog } from "../common/dialog.js";
import { announce, h, need, plainButton } from "../../helpers/dom.js";
import { field } from "../../helpers/fields.js";
import { t } from "../../helpers/i18n.js";
import { filtersKey, longestName, readFilters, withFilter } from "../../models/network/saved-filters.js";

/** The named filters: a chip for each next to the quick filters, and a button that saves the current one. */
export class SavedFilters {
  #place;
  #save;
  /** The content of the chips. */
  #drawn = "";

  /**
   * @param {HTMLElement} view
   * @param {() => string} text the filter as it is
   * @param {(text: string) => void} write
   */
  constructor(view, text, write) {
    this.text = text;
    this.write = write;
    this.#place = need(view, "#saved-filters", HTMLElement);
    this.#save = need(view, "#save-filter", HTMLElement);
    this.#save.addEventListener("click", () => void this.#ask());
  }

  /** Shows the chips, and the button if there is a filter to save. */
  show() {
    const list = readFilters(localStorage.getItem(filtersKey));
    const text = this.text().trim();
    this.#save.hidden = text === "" || list.some((one) => one.text === text);
    const drawn = JSON.stringify([list, text]);
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    const held = this.#place.contains(document.activeElement)
      ? document.activeElement?.getAttribute("data-saved") ?? ""
      : null;
    this.#place.replaceChildren(...list.flatMap((one) => this.#chip(one, one.text === text)));
    if (held === null) return;
    const next = [...this.#place.querySelectorAll("[data-saved]")].find((one) =>
      one.getAttribute("data-saved") === held
    );
    if (next instanceof HTMLElement) next.focus();
  }

  /** @param {import("../../models/network/saved-filters.js").SavedFilter} filter @param {boolean} isOn */
  #chip({ name, text }, isOn) {
    const chip = plainButton("button button-small quick", {
      "aria-pressed": String(isOn),
      "data-saved": name,
      title: document.documentElement.dataset.present === undefined ? text : null,
      onclick: () => this.write(isOn ? "" : text),
    }, h("bdi", {}, name));
    if (!isOn) return [chip];
    const remove = plainButton("chip-remove", {
      "aria-label": t("filter.forget", { name }),
      onclick: () => {
        this.#keep(readFilters(localStorage.getItem(filtersKey)).filter((one) => one.name !== name));
        this.#save.focus();
        announce(t("filter.forgotten", { name }));
      },
    }, "×");
    return [chip, remove];
  }

  /** @param {import("../../models/network/saved-filters.js").SavedFilter[]} list */
  #keep(list) {
    localStorage.setItem(filtersKey, JSON.stringify(list));
    this.show();
  }

  /** Asks for a name and saves the filter under it. */
  async #ask() {
    const text = this.text().trim();
    const name = h("input", {
      class: "input",
      id: "filter-name",
      maxlength: longestName,
      required: true,
      autocomplete: "off",
      "aria-describedby": "filter-kept",
    });
    const form = h(
      "form",
      { method: "dialog", class: "stack" },
      h("p", { class: "filter-text" }, h("code", { dir: "ltr" }, text)),
      field(t("filter.name"), name),
      h("p", { class: "small muted", id: "filter-kept" }, t("filter.kept_here")),
      h("div", { class: "row" }, h("button", { class: "button button-primary" }, t("action.save"))),
    );
    const dialog = await openDialog("filter-dialog", t("filter.save"), form);
    name.focus();
    form.addEventListener("submit", (event) => {
      const chosen = name.value.trim();
      if (!chosen) return event.preventDefault();
      dialog?.addEventListener("close", () => {
        this.#keep(withFilter(readFilters(localStorage.getItem(filtersKey)), { name: chosen, text }));
        const chip = this.#place.querySelector('[aria-pressed="true"]');
        if (chip instanceof HTMLElement) chip.focus();
        announce(t("filter.saved", { name: chosen }));
      });
    });
  }
}
