// @ts-check
import { openDialog } from "../common/dialog.js";
import { t } from "../../helpers/i18n.js";
import { blankDraft, draftOf } from "../../models/exports/composer.js";
import { loadWords } from "../../page.js";
import { ComposerForm } from "./composer-form.js";

/** @typedef {import("../../models/exports/composer.js").Sent} Sent */

/**
 * Opens the composer, which sends requests and shows their responses.
 * @param {(id: string) => void} show opens a row that it made
 * @param {Sent | null} [row] to send again, changed
 */
export async function openComposer(show, row = null) {
  await Promise.all([loadWords("exports"), loadWords("detail")]);
  const closed = new AbortController();
  const form = new ComposerForm(row ? draftOf(row) : blankDraft(), row, closed.signal, (id) => {
    dialog?.close();
    show(id);
  });
  const dialog = await openDialog("composer", t(row ? "compose.again_title" : "compose.title"), form.element);
  if (!dialog) return;
  dialog.addEventListener("close", () => closed.abort());
  form.path.focus();
}
