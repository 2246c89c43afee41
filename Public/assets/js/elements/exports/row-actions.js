// @ts-check
import { call, fetchText } from "../../api.js";
import { announce, busy, h, icon } from "../../helpers/dom.js";
import { openDialog } from "../../helpers/dialog.js";
import { copyText } from "../../helpers/copy.js";
import { t } from "../../helpers/i18n.js";
import { problemText } from "../../helpers/problem-view.js";
import { callOf, draftOf, isBodyLost, isSafe } from "../../models/exports/composer.js";
import { loadWords, session } from "../../page.js";
import { openComposer } from "./request-composer.js";

/** @typedef {import("../../models/exports/composer.js").Sent} Sent */

const copies = /** @type {const} */ ([["curl", "cURL"], ["swift", "Swift"], ["markdown", "Markdown"]]);

/**
 * Actions for the row in `row`: copy it as text, send it again, or edit and send it.
 * Dispatches a cancelable `show-row` with the id of the new row.
 */
export class RowActions extends HTMLElement {
  /** @type {Sent | null} */
  #shown = null;

  /** The row whole. @param {Sent | null} row */
  set row(row) {
    const isOther = row?.id !== this.#shown?.id;
    this.#shown = row;
    // Messages about the previous row disappear at once; loading the words may take a moment.
    if (isOther) this.replaceChildren();
    if (isOther || !this.firstChild) void this.#render();
  }

  get row() {
    return this.#shown;
  }

  async #render() {
    await loadWords("exports");
    if (!this.#shown) return this.replaceChildren();
    this.setAttribute("role", "group");
    this.setAttribute("aria-label", t("copy.group"));
    const problem = h("p", { class: "field-error", role: "alert" });
    const again = h("button", { type: "button", class: "button button-small", id: "replay-row" }, t("replay.send"));
    again.addEventListener("click", () => void this.#replay(again, problem));
    this.replaceChildren(
      ...copies.map(([format, name]) => {
        const button = h(
          "button",
          {
            type: "button",
            class: "button button-quiet button-small",
            "data-copy": format,
            title: t("copy.format", { name }),
          },
          icon("copy", 14),
          h("span", {}, name),
        );
        button.setAttribute("aria-label", t("copy.format", { name }));
        button.addEventListener("click", () => void this.#copy(button, format, problem));
        return button;
      }),
      again,
      h("button", {
        type: "button",
        class: "button button-quiet button-small",
        id: "edit-row",
        onclick: () => void this.#edit(),
      }, t("replay.edit")),
      problem,
    );
  }

  /** @param {HTMLElement} button @param {string} format @param {HTMLElement} problem */
  async #copy(button, format, problem) {
    const { row } = this;
    if (!row) return;
    await busy(button, async () => {
      try {
        const text = await fetchText(`/api/network/${encodeURIComponent(row.id)}/${format}`);
        problem.textContent = "";
        await copyText(button, text);
      } catch (error) {
        problem.textContent = problemText(error);
      }
    });
  }

  /** Sends the row as it was, once that is confirmed. @param {HTMLElement} button @param {HTMLElement} problem */
  async #replay(button, problem) {
    const { row } = this;
    if (!row) return;
    if (isBodyLost(row)) return this.#edit();
    if (!isSafe(row.method) && !(await confirmed(row))) return;
    await busy(button, async () => {
      try {
        const { path, body } = callOf({ ...draftOf(row), confirm: true }, row);
        const answer = await call("POST", path, { body });
        problem.textContent = "";
        announce(t("replay.sent"));
        showRow(this, answer.id);
      } catch (error) {
        problem.textContent = problemText(error);
      }
    });
  }

  async #edit() {
    if (this.row) await openComposer((id) => showRow(this, id), this.row);
  }
}

/** Asks whether a request that may change something is to go out again. @param {Sent} row @returns {Promise<boolean>} */
async function confirmed(row) {
  let isYes = false;
  const yes = h("button", { type: "button", class: "button button-primary", id: "confirm-replay" }, t("replay.send"));
  const no = h("button", { type: "button", class: "button", autofocus: true }, t("replay.cancel"));
  const dialog = await openDialog(
    "replay-dialog",
    t("replay.confirm_title"),
    h("p", {}, t("replay.confirm", { method: row.method, path: row.path, backend: session.state?.backend.url ?? "" })),
    h("div", { class: "row" }, yes, no),
  );
  if (!dialog) return false;
  no.focus();
  no.addEventListener("click", () => dialog.close());
  yes.addEventListener("click", () => {
    isYes = true;
    dialog.close();
  });
  return new Promise((resolve) => dialog.addEventListener("close", () => resolve(isYes)));
}

/** Shows a row on this page if possible, else on the network page. @param {Element} from @param {string} id */
export function showRow(from, id) {
  const event = new CustomEvent("show-row", { bubbles: true, cancelable: true, detail: id });
  if (from.dispatchEvent(event)) location.assign(`/network?row=${encodeURIComponent(id)}`);
}

customElements.define("row-actions", RowActions);
