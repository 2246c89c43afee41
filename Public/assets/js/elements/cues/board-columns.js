// @ts-check
import { h, need } from "../../helpers/dom.js";
import { t } from "../../helpers/i18n.js";
import { cardFacts, cueCard, keepChildren, stageName } from "./cue-card.js";

/** @typedef {import("../../models/cues/board.js").Cue} Cue */

/** The columns of the board with their cards; an element whose content did not change is used again. */
export class BoardColumns {
  /** The columns and cards by name, with their keys. @type {Map<string, {key: string, element: HTMLElement}>} */
  #made = new Map();

  /**
   * The element of a column.
   * @param {import("../../models/cues/board.js").Column} column
   * @param {{openMenu: (cue: string, button: HTMLElement) => void,
   *   resolve: (cue: Cue, to: string, button: HTMLElement) => void}} actions
   */
  column({ stage, cues, hidden }, actions) {
    const id = `stage-${stage}`;
    const section = this.#keep(id, stage, () =>
      h(
        "section",
        { class: "stage", "data-stage": stage, "aria-labelledby": id },
        h("header", { class: "spread" }, h("h2", { id }, stageName(stage)), h("span", { class: "small muted nums" })),
        h("ol", { class: "stage-cues", tabindex: "-1", "aria-labelledby": id }),
        h("p", { class: "stage-empty small muted" }, t("cues.drop_here")),
      ));
    const count = t("cues.count", { n: cues.length + hidden });
    need(section, ".nums", HTMLElement).textContent = hidden ? `${count} · ${t("cues.hidden", { n: hidden })}` : count;
    const list = need(section, "ol", HTMLElement);
    keepChildren(
      list,
      cues.map((cue) => this.#keep(cue.cue_id, cardFacts(cue), (old) => cueCard(cue, actions, old))),
    );
    list.hidden = cues.length === 0;
    need(section, ".stage-empty", HTMLElement).hidden = cues.length > 0;
    return section;
  }

  /**
   * The element of this name, created again if it shows something else.
   * @param {string} name
   * @param {unknown} shown
   * @param {(before: HTMLElement | undefined) => HTMLElement} make
   */
  #keep(name, shown, make) {
    const [key, before] = [JSON.stringify(shown), this.#made.get(name)];
    if (before?.key === key) return before.element;
    const element = make(before?.element);
    this.#made.set(name, { key, element });
    return element;
  }
}
