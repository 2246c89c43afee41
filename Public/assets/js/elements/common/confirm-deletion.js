// @ts-check
import { h, plainButton } from "../../helpers/dom.js";
import { t } from "../../helpers/i18n.js";
import { openDialog } from "./dialog.js";
import { problemAt } from "./problem-view.js";

/**
 * Asks before something is deleted for good; a failure is shown in the dialog, which stays.
 * @param {{id?: string, title: string, why: string, label: string, act: () => Promise<unknown>, done?: () => void}} question
 *   `label` is the text of the button that deletes; `done` follows when the dialog is closed
 */
export async function confirmDeletion({ id = "deletion", title, why, label, act, done }) {
  const error = h("p", { class: "field-error", role: "alert" });
  const cancel = plainButton("button", { onclick: () => dialog?.close() }, t("action.cancel"));
  const work = async () => {
    await act();
    dialog?.close();
    done?.();
  };
  const confirm = plainButton("button button-danger", { id: `confirm-${id}`, work, failed: problemAt(error) }, label);
  const row = h("div", { class: "row" }, cancel, confirm);
  const dialog = await openDialog(id, title, h("p", { class: "muted", dir: "auto" }, why), error, row);
  if (dialog) cancel.focus();
}
