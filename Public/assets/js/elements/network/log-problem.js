// @ts-check
// Why the log is not shown or may be old; loaded when the page is idle.
import { h, need, showView } from "../../helpers/dom.js";
import { clockTime, t } from "../../helpers/i18n.js";
import { problemPanel, problemText } from "../../helpers/problem-view.js";

/** Shows a panel instead of the log. @param {HTMLElement} view @param {unknown} error @param {() => void} retry */
export function showProblem(view, error, retry) {
  need(view, "#network-error", HTMLElement).replaceChildren(problemPanel(error, () => {
    showView(view, "loading");
    retry();
  }));
  showView(view, "error");
}

/** Says over the log why it may be old. @param {HTMLElement} notice @param {unknown} error @param {number} asOf milliseconds */
export function explain(notice, error, asOf) {
  const why = error ? problemText(error) : t("network.stale");
  const text = `${why} ${t("state.as_of", { time: clockTime(asOf) })}`;
  if (notice.textContent !== text) notice.replaceChildren(h("span", {}, text));
}
