// @ts-check
import { call } from "../../api.js";
import { confirmDeletion } from "../common/confirm-deletion.js";
import { busy, h, plainButton } from "../../helpers/dom.js";
import { field, nameInput } from "../../helpers/fields.js";
import { t } from "../../helpers/i18n.js";
import { problemAt } from "../common/problem-view.js";
import { isTitle, truncateTitle } from "../../models/recordings/recordings.js";
import { workspaceField } from "../common/workspace-select.js";

/** @typedef {import("../../models/recordings/recordings.js").Recording} Recording */
/** @typedef {import("./recordings-view.js").RecordingsView} RecordingsView */

/**
 * Edits the name, the note and the workspace of a recording in its line.
 * @param {HTMLElement} line
 * @param {Recording} recording
 * @param {import("../../models/team/team.js").Workspace[]} workspaces
 * @param {(changed: Recording | null) => void} done null if nothing was changed
 */
export function editRecording(line, recording, workspaces, done) {
  const title = nameInput({ id: "edit-title", "aria-describedby": "edit-fault" });
  const note = h("textarea", { class: "input", id: "edit-note", rows: 2, dir: "auto" });
  [title.value, note.value] = [recording.title, recording.note];
  const place = workspaceField(workspaces, recording.workspace);
  const fault = h("p", { class: "field-error", id: "edit-fault", role: "alert" });
  const save = h("button", { type: "submit", class: "button button-primary button-small", id: "save-edit" }, t("action.save"));
  const cancel = plainButton("button button-small", { id: "cancel-edit", onclick: () => done(null) }, t("action.cancel"));
  const form = h(
    "form",
    { class: "stack-tight grow", novalidate: true },
    field(t("recordings.name"), title, fault),
    field(t("recordings.note"), note),
    place?.field,
    h("div", { class: "row" }, save, cancel),
  );
  line.replaceChildren(form);
  title.select();
  form.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    done(null);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const isGood = isTitle(title.value);
    title.setAttribute("aria-invalid", String(!isGood));
    fault.textContent = isGood ? "" : t("recordings.name_bad");
    if (!isGood) return title.focus();
    void busy(save, async () => {
      const isMoved = place && place.select.value !== recording.workspace;
      const body = { title: truncateTitle(title.value), note: note.value.trim(), ...(isMoved ? { workspace: place.select.value } : {}) };
      done(await call("PATCH", `/api/recordings/${encodeURIComponent(recording.id)}`, { body }));
    }, problemAt(fault));
  });
}

/** Asks before a recording is deleted for good. @param {RecordingsView} view @param {Recording} recording */
export async function deleteRecording(view, { id, title, rows }) {
  await confirmDeletion({
    id: "delete",
    title: t("recordings.delete_title"),
    why: t("recordings.delete_why", { title, n: rows }),
    label: t("recordings.delete"),
    act: () => call("DELETE", `/api/recordings/${encodeURIComponent(id)}`),
    done: () => {
      view.take(id);
      view.say("ok", t("recordings.deleted", { title }));
    },
  });
}
