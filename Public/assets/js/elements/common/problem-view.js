// @ts-check
import { events } from "../../events.js";
import { ApiError, problemKey } from "../../api.js";
import { everySecond, h, icon, isPressable, plainButton, setDisabled } from "../../helpers/dom.js";
import { currentWords, faultName, remaining, t } from "../../helpers/i18n.js";

/**
 * The error and the next step, in the page's language; never a raw status.
 * @param {unknown} error
 * @param {number} [secondsLeft] of a wait, when one is counted
 */
export function problemText(error, secondsLeft) {
  const problem = error instanceof ApiError ? error : null;
  const key = problemKey(problem?.code ?? "unknown", (name) => currentWords().has(name));
  const wait = secondsLeft ?? problem?.retryAfterSeconds;
  const timed = `${key}.wait`;
  return wait && currentWords().has(timed) ? t(timed, { time: remaining(wait) }) : t(key);
}

/** @param {Element} place @returns {(error: unknown) => void} */
export const problemAt = (place) => (error) => {
  place.textContent = problemText(error);
};

/**
 * Why a session ended or its refresh failed, in the page's language; needs the words of `errors`.
 * @param {string} reason the console's stable word
 */
export function reasonText(reason) {
  const key = [`reason.${reason}`, `error.${reason}`].find((name) => currentWords().has(name));
  return key ? t(key) : t("reason.other", { reason });
}

/** A link to a row of the network log, or null. @param {string | undefined} id */
const linkTo = (id) =>
  id ? h("a", { class: "button button-small", href: `/network?row=${encodeURIComponent(id)}` }, t("state.open_row")) : null;

/** A link to the row of the network log that shows the error, or null. @param {unknown} error */
export const rowLink = (error) => error instanceof ApiError ? linkTo(error.rowId) : null;

/**
 * Why the session ended, and a link to the call that ended it; needs the words of `errors`, and of `faults` for a preset's name.
 * @param {import("../../models/shell/console-state.js").Session} session
 * @returns {{text: string, link: HTMLAnchorElement | null}}
 */
export function endOf({ reason = "", fault, row_id: row }) {
  return { text: fault ? t("reason.by_fault", { name: faultName(fault) }) : reasonText(reason), link: linkTo(row) };
}

/** An error while the stream is lost, because the page may be outdated; else null. */
export const streamProblem = () =>
  events.status.state === "offline" ? new ApiError({ status: 0, code: "unreachable" }) : null;

/**
 * A panel in place of content that could not be loaded, with a retry button and a link to the call that failed.
 * @param {unknown} error
 * @param {() => void} retry
 */
export function problemPanel(error, retry) {
  const again = plainButton("button", {
    onclick: () => {
      if (isPressable(again)) retry();
    },
  }, t("state.retry"));
  const wait = error instanceof ApiError ? error.retryAfterSeconds : undefined;
  // A replaced panel continues to count, unseen, until its wait is over.
  if (wait) holdButton(again, wait, new AbortController().signal);
  return h(
    "div",
    { class: "blank", role: "alert" },
    icon("alert", 24),
    h("p", { class: "title" }, t("state.error_title")),
    h("p", {}, problemText(error)),
    again,
    rowLink(error),
  );
}

/**
 * Disables a button until a response's wait is over; its label counts down.
 * @param {HTMLElement} button
 * @param {number} seconds
 * @param {AbortSignal} signal
 * @returns {() => void} ends the wait
 */
export function holdButton(button, seconds, signal) {
  if (button.dataset.held !== undefined) return () => {};
  const label = button.textContent ?? "";
  const deadline = performance.now() + seconds * 1000;
  const over = new AbortController();
  button.dataset.held = "";
  setDisabled(button, true);
  const end = () => {
    if (over.signal.aborted) return;
    over.abort();
    delete button.dataset.held;
    setDisabled(button, false);
    button.textContent = label;
  };
  everySecond(() => {
    const left = (deadline - performance.now()) / 1000;
    if (left > 0) button.textContent = t("state.label_wait", { label, time: remaining(left) });
    else end();
  }, AbortSignal.any([signal, over.signal]));
  return end;
}
