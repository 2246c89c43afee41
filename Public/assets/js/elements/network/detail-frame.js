// @ts-check
import { covered } from "../../helpers/covered.js";
import { h, icon, plainButton } from "../../helpers/dom.js";
import { t } from "../../helpers/i18n.js";
import { callName } from "../../models/network/row-view.js";
import { RowActions } from "../exports/row-actions.js";

/** The tabs, each with the key of its name. */
const names = /** @type {const} */ ({
  overview: "detail.overview",
  request: "detail.request",
  response: "detail.response",
  timing: "detail.timing",
  faults: "fault.title",
  drift: "drift.title",
  redactions: "detail.redactions",
});

/** The tabs of a row's details, in order. */
export const tabs = /** @type {(keyof typeof names)[]} */ (Object.keys(names));

/** The parts around a row's details. */
export class DetailFrame {
  title = h("h2", { class: "grow", id: "detail-title" });
  #pinText = h("span");
  pin = plainButton("button button-quiet button-small pin", { id: "pin-row" }, icon("pin", 14), this.#pinText);
  close = plainButton(
    "button button-quiet button-icon",
    { id: "close-detail", "aria-label": t("detail.close") },
    icon("close"),
  );
  actions = new RowActions();
  /** Why the row failed, and the rule that acted on it. */
  story = h("div", { class: "detail-story" });
  tabList = h(
    "div",
    { class: "tabs", role: "tablist", "aria-label": t("detail.tabs") },
    ...tabs.map((name) =>
      h("button", { type: "button", role: "tab", id: `tab-${name}`, "aria-controls": "detail-panel" }, t(names[name]))
    ),
  );
  panel = h("div", { class: "detail-panel", id: "detail-panel", role: "tabpanel", tabindex: "0" });
  parts = [
    h("div", { class: "detail-head" }, this.title, this.pin, this.close),
    this.actions,
    this.story,
    this.tabList,
    this.panel,
  ];

  constructor() {
    this.actions.className = "detail-actions";
    this.select("overview");
  }

  /** Marks the chosen tab. @param {string} name */
  select(name) {
    for (const tab of this.tabList.children) {
      const isChosen = tab.id === `tab-${name}`;
      tab.setAttribute("aria-selected", String(isChosen));
      tab.setAttribute("tabindex", isChosen ? "0" : "-1");
      if (isChosen) tab.scrollIntoView({ block: "nearest", inline: "nearest" });
    }
    this.panel.setAttribute("aria-labelledby", `tab-${name}`);
  }

  /** Shows the row in the head; null if there is none. @param {import("./network-detail.js").Detail | null} row */
  show(row) {
    this.pin.hidden = !row;
    this.pin.setAttribute("aria-pressed", String(row?.is_pinned === true));
    this.#pinText.textContent = t(row?.is_pinned ? "detail.pinned" : "network.pin");
    this.actions.row = row;
    this.title.replaceChildren(row ? h("bdi", { dir: "ltr" }, ...covered(callName(row))) : t("detail.gone"));
  }
}
