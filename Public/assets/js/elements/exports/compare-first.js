// @ts-check
import { plainButton } from "../../helpers/dom.js";
import { t } from "../../helpers/i18n.js";
import { compareHere } from "../common/dialogs.js";

/**
 * A button that compares a row that was sent again with the one that was sent first.
 * @param {{id: string, parent_id?: string}} row
 * @param {(id: string) => void} show shows one of the two rows
 */
export function compareFirst(row, show) {
  return plainButton("button button-quiet button-small", {
    id: "compare-first",
    "data-action": "compare_first",
    "aria-haspopup": "dialog",
    work: () => compareHere([row.parent_id ?? "", row.id], show),
  }, t("replay.compare"));
}
