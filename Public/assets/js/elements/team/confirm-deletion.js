// @ts-check
import { openDialog } from "../common/dialog.js";
import { busy, h } from "../../helpers/dom.js";
import { t } from "../../helpers/i18n.js";
import { problemText } from "../common/problem-view.js";

/**
 * Asks before something is deleted for good; a failure is shown in the dialog, which stays.
 * @param {{title: string, why: string, label: string, act: () => Promise<void>}} question
 */
export async function confirmDeletion({ title, why, label, act }) {
  const error = h("p", { class: "field-error", role: "alert" });
  const keep = h("button", { type: "button", class: "button" }, t("team.cancel"));
  const confirm = h("button", { type: "button", class: "button button-danger", id: "confirm-deletion" }, label);
  const dialog = await openDialog(
    "deletion",
    title,
    h("p", { dir: "auto" }, why),
    error,
    h("div", { class: "row" }, keep, confirm),
  );
  if (!dialog) return;
  keep.addEventListener("click", () => dialog.close());
  confirm.addEventListener("click", () =>
    void busy(confirm, async () => {
      try {
        await act();
        dialog.close();
      } catch (problem) {
        error.textContent = problemText(problem);
      }
    }));
  keep.focus();
}
