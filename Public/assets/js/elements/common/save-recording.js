// @ts-check
import { ApiError, call } from "../../api.js";
import { openDialog } from "./dialog.js";
import { busy, h, noticePlace, setDisabled } from "../../helpers/dom.js";
import { field, nameInput, setInvalid } from "../../helpers/fields.js";
import { dateTime, t } from "../../helpers/i18n.js";
import { say } from "./notice.js";
import { problemText } from "./problem-view.js";
import { scopeChoices } from "./scope-choices.js";
import { ExportWish } from "../../models/exports/exports.js";
import { isTitle, pagesOf, truncateTitle } from "../../models/recordings/recordings.js";
import { loadWords } from "../../page.js";
import { loadWorkspaces, workspaceField } from "./workspace-select.js";

/** @typedef {import("../../models/recordings/recordings.js").Recording} Recording */

/**
 * Opens a dialog that saves rows as a recording.
 * @param {{ids: string[] | null, shown: Iterable<string> | null, total: number}} rows of the page
 */
export async function openSaving(rows) {
  // Without the list, the recording goes to the person's own workspace.
  const [workspaces] = await Promise.all([loadWorkspaces().catch(() => []), loadWords("exports"), loadWords("recordings")]);
  const place = workspaceField(workspaces, undefined);
  const wish = new ExportWish(rows);
  const title = nameInput({ id: "recording-title", "aria-describedby": "recording-fault" });
  title.value = dateTime(Date.now());
  const note = h("textarea", { class: "input", id: "recording-note", rows: 3, dir: "auto" });
  const fault = h("p", { class: "field-error", id: "recording-fault", role: "alert" });
  const save = h("button", { type: "submit", class: "button button-primary", id: "confirm-recording" }, t("action.save"));
  const form = h(
    "form",
    { class: "stack", novalidate: true },
    scopeChoices("recording-scope", wish, () => changed()),
    field(t("recordings.name"), title, fault),
    field(t("recordings.note"), note),
    place?.field,
    h("p", { class: "small muted" }, t("recordings.safety")),
    h("div", { class: "row" }, save),
  );
  function changed() {
    fault.textContent = wish.count ? "" : t("export.empty");
    setInvalid(title, false);
    setDisabled(save, wish.count === 0);
  }
  const dialog = await openDialog("save-recording-dialog", t("recordings.save_title"), form);
  if (!dialog) return;
  changed();
  title.select();
  title.addEventListener("input", changed);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (!isTitle(title.value)) {
      fault.textContent = t("recordings.name_bad");
      setInvalid(title, true);
      return title.focus();
    }
    void busy(save, async () => {
      const saved = await call("POST", "/api/recordings", {
        body: { title: truncateTitle(title.value), note: note.value.trim(), ...(wish.scope === "all" ? {} : { ids: wish.ids }),
          ...(place ? { workspace: place.select.value } : {}) },
      });
      dialog.close();
      tell(saved);
    }, (error) => {
      const isFull = error instanceof ApiError && error.code === "conflict";
      fault.textContent = isFull ? t("recordings.full") : problemText(error);
    });
  });
}

/** Reports that a recording was saved, with a link to it. @param {Recording} saved */
function tell({ id, title, rows }) {
  document.getElementById("toast")?.remove();
  const toast = h("p", { class: "notice toast", id: "toast" });
  noticePlace().append(toast);
  const link = h("a", { class: "button button-small", id: "open-recording", href: pagesOf(id).network }, t("recordings.open"));
  say(toast, "ok", t("recordings.saved", { title, n: rows }), link);
}
