// @ts-check
import { busy, h } from "../../helpers/dom.js";
import { t } from "../../helpers/i18n.js";
import { compareHere } from "../common/dialogs.js";

/**
 * A button that compares a row that was sent again with the one that was sent first.
 * @param {{id: string, parent_id?: string}} row
 * @param {(id: string) => void} show shows one of the two rows
 */
export function compareFirst(row, show) {
  const button = h("button", {
    type: "button",
    class: "button button-quiet button-small",
    id: "compare-first",
    "data-action": "compare_first",
    "aria-haspopup": "dialog",
  }, t("replay.compare"));
  button.addEventListener("click", () => void busy(button, () => compareHere([row.parent_id ?? "", row.id], show)));
  return button;
}
