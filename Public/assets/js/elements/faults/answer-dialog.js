// @ts-check
import { ApiError, call } from "../../api.js";
import { covered } from "../../helpers/covered.js";
import { openDialog } from "../common/dialog.js";
import { busy, h, loadStyle } from "../../helpers/dom.js";
import { t } from "../../helpers/i18n.js";
import { showToast } from "../common/notice.js";
import { problemText } from "../common/problem-view.js";
import { answerOfRow, answerOfRule, blankAnswer, confirmedBy, ruleOfAnswer } from "../../models/faults/answers.js";
import { secondsLeft } from "../../models/faults/faults.js";
import { callName } from "../../models/network/row-view.js";
import { loadWords, session } from "../../page.js";
import { AnswerForm } from "./answer-form.js";

/**
 * @typedef {import("../../models/faults/faults.js").Fault} Fault
 * @typedef {import("../../models/faults/answers.js").AnsweredRow} AnsweredRow
 */

/**
 * Opens the dialog for a user's own response: from a row, from an edited rule, or from scratch.
 * @param {{row?: AnsweredRow | null, fault?: Fault | null, again?: (() => Promise<void>) | null}} [subject] `again` sends the row
 *   again
 */
export async function openAnswer({ row = null, fault = null, again = null } = {}) {
  await Promise.all([...["faults", "exports", "answers"].map(loadWords), loadStyle("faults"), loadStyle("answer")]);
  const draft = fault ? answerOfRule(fault) : row ? answerOfRow(await whole(row)) : blankAnswer();
  const form = new AnswerForm(draft, row);
  const mocked = callName({ method: draft.method, path: draft.path || draft.endpoint });
  const title = fault || row ? t("answer.title", { call: mocked }) : t("answer.title_new");
  const dialog = await openDialog("answer", h("span", {}, ...covered(title)), form.element);
  if (!dialog) return;
  form.start(row !== null || fault !== null);
  form.element.addEventListener("submit", (event) => {
    event.preventDefault();
    const { rule, problems } = ruleOfAnswer(form.draft);
    if (form.show(problems, true)) return;
    void busy(form.save, async () => {
      const saved = fault
        ? await call("PATCH", `/api/faults/${fault.id}`, { body: { ...rule, armed: true } })
        : await call("POST", "/api/faults", { body: rule });
      dialog.close();
      showToast(h("span", {}, ...covered(t("fault.armed_said", { name: saved.name }))), [
        ...(again ? [{ label: t("replay.send"), id: "toast-again", act: again }] : []),
        { label: t("answer.undo"), id: "toast-undo", act: () => undo(saved.id, fault) },
      ]);
      await session.load();
    }, (error) => refused(form, error));
  });
}

/** The row, with the app's response if the backend only confirmed it. @param {AnsweredRow} row */
async function whole(row) {
  if (row.response?.status !== 304) return row;
  const query = new URLSearchParams({ method: row.method, endpoint: row.endpoint ?? "", status: "200", limit: "10000" });
  try {
    const { events } = await call("GET", `/api/network?${query}`);
    const confirmed = confirmedBy(row, events);
    if (confirmed) return { ...row, response: (await call("GET", `/api/network/${confirmed.id}`)).response };
  } catch {
    // The dialog is worth opening without it.
  }
  return { ...row, response: { ...row.response, status: 200 } };
}

/** Removes a new rule, or restores an edited one. @param {string} id @param {Fault | null} before */
async function undo(id, before) {
  if (!before) await call("DELETE", `/api/faults/${id}`);
  else {
    const { name, match, when, action } = before;
    const left = secondsLeft(before, Date.now());
    const lifetime = left === null ? 0 : Math.max(1, left);
    await call("PATCH", `/api/faults/${id}`, {
      body: { name, match, when, action, armed: before.state === "armed", expires_in_seconds: lifetime },
    });
  }
  await session.load();
}

/** The members of the console's rule and the fields of the form that they come from. @type {Record<string, string>} */
const places = {
  "action.status": "status",
  "action.headers": "headers",
  "action.body": "body",
  "action.latency_ms": "latency",
  "match.path": "path",
  "match.query": "query",
  "match.body": "request",
  name: "name",
};

/** Shows why the console rejected the rule. @param {AnswerForm} form @param {unknown} error */
function refused(form, error) {
  const problem = error instanceof ApiError ? error : null;
  const place = places[problem?.field ?? ""];
  if (place && problem?.code === "not_replayable") form.show({ [place]: { key: "answer.mask_gone" } }, true);
  else if (place === "body") form.show({ body: { key: "answer.body_large" } }, true);
  else if (place === "headers") form.show({ headers: { key: "answer.headers_refused" } }, true);
  else form.problem.textContent = isFull(problem) ? t("fault.full") : problemText(error);
}

/** @param {ApiError | null} problem */
const isFull = (problem) => problem?.code === "invalid_request" && !problem.field;
