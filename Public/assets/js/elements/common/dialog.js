// @ts-check
import { h, icon, loadStyle, plainButton } from "../../helpers/dom.js";
import { t } from "../../helpers/i18n.js";
import { loadWords } from "../../page.js";

/**
 * Opens a modal dialog that is removed when it closes; the focus returns to where it was.
 * Returns null if a dialog with this id was open, and closes that one.
 * @param {string} id
 * @param {string | Node} title
 * @param {...(Node | null)} content
 * @returns {Promise<HTMLDialogElement | null>}
 */
export async function openDialog(id, title, ...content) {
  const known = document.getElementById(id);
  if (known instanceof HTMLDialogElement) {
    // A closed dialog stays in the document until its `close` event.
    const wasOpen = known.open;
    known.close();
    known.remove();
    if (wasOpen) return null;
  }
  await Promise.all([loadStyle("overlay"), loadWords("tools")]);
  const dialog = h(
    "dialog",
    { class: "dialog overlay", id, "aria-labelledby": `${id}-title` },
    // No `header` element: outside a section it would be a second banner.
    h(
      "div",
      { class: "dialog-head spread" },
      h("h2", { id: `${id}-title` }, title),
      plainButton("button button-quiet button-icon", {
        "aria-label": t("shortcuts.close"),
        onclick: () => dialog.close(),
      }, icon("close")),
    ),
    ...content,
  );
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}
