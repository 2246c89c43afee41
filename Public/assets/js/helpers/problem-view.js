// @ts-check
import { ApiError, problemKey } from "../models/problem.js";
import { copyButton } from "./copy.js";
import { h, icon } from "./dom.js";
import { remaining } from "./format.js";
import { currentWords, t } from "./i18n.js";

/**
 * What went wrong and what to do next, in the page's words; never a raw status.
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

/**
 * A panel in place of content that could not be loaded: sentence, Retry, and the request's id to copy.
 * @param {unknown} error
 * @param {() => void} retry
 */
export function problemPanel(error, retry) {
  const requestId = error instanceof ApiError ? error.requestId : undefined;
  return h(
    "div",
    { class: "blank", role: "alert" },
    icon("alert", 24),
    h("p", { class: "title" }, t("state.error_title")),
    h("p", {}, problemText(error)),
    h("button", { type: "button", class: "button", onclick: retry }, t("state.retry")),
    requestId
      ? h(
        "p",
        { class: "row small" },
        t("state.request_id"),
        h("code", { class: "ltr" }, requestId),
        copyButton(() => requestId, t("state.copy_request_id")),
      )
      : null,
  );
}
