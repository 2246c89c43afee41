// @ts-check
// Why the log is not shown or may be old; loaded when the page is idle.
import { ApiError } from "../../api.js";
import { retryPause } from "../../models/shell/asking-again.js";
import { h, need, plainButton, showView } from "../../helpers/dom.js";
import { moment, t } from "../../helpers/i18n.js";
import { problemPanel, problemText } from "../common/problem-view.js";

/** Shows a panel instead of the log. @param {HTMLElement} view @param {unknown} error @param {() => void} retry */
export function showProblem(view, error, retry) {
  need(view, "#network-error", HTMLElement).replaceChildren(problemPanel(error, () => {
    showView(view, "loading");
    retry();
  }));
  showView(view, "error");
}

/** The error of each notice. @type {WeakMap<HTMLElement, unknown>} */
const errors = new WeakMap();
/** How many times in a row the log could not be loaded again. */
let failures = 0;

/**
 * Shows over the log why it may be outdated; a failed load is retried by a button, and automatically less and less often.
 * @param {HTMLElement} notice
 * @param {unknown} error
 * @param {number} asOf milliseconds
 * @param {() => void} retry
 */
export function explain(notice, error, asOf, retry) {
  const text = `${error ? problemText(error) : t("network.stale")} ${t("state.as_of", { time: moment(asOf) })}`;
  const said = h("span", { class: "grow" }, text);
  // A second failure with the same words is still another failure.
  if (errors.get(notice) === error && notice.firstChild?.textContent === text) return;
  errors.set(notice, error);
  notice.replaceChildren(
    said,
    error ? plainButton("button button-small", { onclick: retry }, t("state.retry")) : "",
  );
  failures = error ? failures + 1 : 0;
  if (!(error instanceof ApiError && error.isPassing)) return;
  setTimeout(() => {
    if (said.isConnected && !notice.hidden) retry();
  }, retryPause(failures, error.retryAfterSeconds));
}
