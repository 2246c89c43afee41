// @ts-check
import { call, lazily } from "../../api.js";
import { announce, busy, h, isPressable, plainButton, setDisabled } from "../../helpers/dom.js";
import { openAnswer } from "../faults/dialogs.js";
import { openDialog } from "../common/dialog.js";
import { t } from "../../helpers/i18n.js";
import { problemAt, problemText } from "../common/problem-view.js";
import { callOf, draftOf, isBodyLost, isNeverSentAgain, isSafe, isSentAgain } from "../../models/exports/composer.js";
import { loadWords, session } from "../../page.js";
import { recording } from "../../helpers/log-source.js";
import { compareFirst } from "./compare-first.js";
import { copyMenu } from "./copy-menu.js";

/** @typedef {import("../../models/exports/composer.js").Sent} Sent */

export const openComposer = lazily(() => import("./request-composer.js"), "openComposer");

/**
 * Actions for the row in `row`: copy parts of it, send it again, edit and send it, or edit its response. Dispatches a cancelable
 * `show-row` with the id of the new row.
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
    const copies = copyMenu(() => this.#shown, (error) => {
      problem.textContent = error === null ? "" : problemText(error);
    });
    const { row } = this;
    const comparison = row && isSentAgain(row) ? [compareFirst(row, (id) => showRow(this, id))] : [];
    // A recording is read-only, and the console's own request is not a call of the app.
    if (recording !== null || this.#shown.source === "tool") return this.replaceChildren(copies, problem, ...comparison);
    const again = plainButton("button button-small", { id: "replay-row" }, t("replay.send"));
    again.addEventListener("click", () => isPressable(again) && void this.#replay(again, problem));
    const edit = plainButton("button button-quiet button-small", { id: "edit-row" }, t("replay.edit"));
    edit.addEventListener("click", () => isPressable(edit) && void this.#edit());
    const isNever = isNeverSentAgain(this.#shown, session.state?.never_sent_again);
    const reason = h("p", { class: "small muted", id: "never-again" }, t("replay.never"));
    if (isNever) {
      for (const button of [again, edit]) {
        setDisabled(button, true);
        button.setAttribute("aria-describedby", reason.id);
      }
    }
    this.replaceChildren(
      copies,
      again,
      edit,
      this.#answerButton(problem),
      ...comparison,
      ...(isNever ? [reason] : []),
      problem,
    );
  }

  /** @param {HTMLElement} problem */
  #answerButton(problem) {
    const work = async () => {
      const { row } = this;
      if (!row) return;
      const isNever = isNeverSentAgain(row, session.state?.never_sent_again);
      await openAnswer({ row, again: isNever || isBodyLost(row) ? null : () => sendAgain(row, (id) => showRow(this, id)) });
      problem.textContent = "";
    };
    return plainButton(
      "button button-quiet button-small",
      { id: "edit-answer", "aria-haspopup": "dialog", work, failed: problemAt(problem) },
      t("answer.edit"),
    );
  }

  /** Sends the row as it was, once that is confirmed. @param {HTMLElement} button @param {HTMLElement} problem */
  async #replay(button, problem) {
    const { row } = this;
    if (!row) return;
    await busy(button, async () => {
      await sendAgain(row, (id) => showRow(this, id));
      problem.textContent = "";
    }, problemAt(problem));
  }

  async #edit() {
    if (this.row) await openComposer((id) => showRow(this, id), this.row);
  }
}

/**
 * Sends a row as it was, once that is confirmed; a body that was not stored has to be written first.
 * @param {Sent} row
 * @param {(id: string) => void} show opens the new row
 */
export async function sendAgain(row, show) {
  if (isBodyLost(row)) return openComposer(show, row);
  await loadWords("exports");
  if (!isSafe(row.method) && !(await confirmed(row))) return;
  const { path, body } = callOf({ ...draftOf(row), confirm: true }, row);
  const answer = await call("POST", path, { body });
  announce(t("replay.sent"));
  show(answer.id);
}

/** Shows a row on this page if possible, else on the network page. @param {Element} from @param {string} id */
function showRow(from, id) {
  const event = new CustomEvent("show-row", { bubbles: true, cancelable: true, detail: id });
  if (from.dispatchEvent(event)) location.assign(`/network?row=${encodeURIComponent(id)}`);
}

/** Asks whether a request that may change something is to go out again. @param {Sent} row @returns {Promise<boolean>} */
async function confirmed(row) {
  let isYes = false;
  const choose = () => {
    isYes = true;
    dialog?.close();
  };
  const yes = plainButton("button button-primary", { id: "confirm-replay", onclick: choose }, t("replay.send"));
  const no = plainButton("button", { autofocus: true, onclick: () => dialog?.close() }, t("action.cancel"));
  const dialog = await openDialog(
    "replay-dialog",
    t("replay.confirm_title"),
    h("p", {}, t("replay.confirm", { method: row.method, path: row.path, backend: session.state?.backend.url ?? "" })),
    h("div", { class: "row" }, yes, no),
  );
  if (!dialog) return false;
  no.focus();
  return new Promise((resolve) => dialog.addEventListener("close", () => resolve(isYes)));
}

customElements.define("row-actions", RowActions);
