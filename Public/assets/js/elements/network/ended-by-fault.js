// @ts-check
import { call } from "../../api.js";
import { dateTime, t } from "../../helpers/i18n.js";
import { showToast } from "../../helpers/notice.js";

/**
 * Says how the console before this one ended, if it was a fault. It is told once: the page and the console forget it now.
 * @param {import("../../models/shell/console-state.js").ConsoleState} state
 */
export function tellFault(state) {
  if (!state.ended_by_fault) return;
  const { signal, at } = state.ended_by_fault;
  state.ended_by_fault = null;
  showToast(t("network.ended_by_fault", { signal, time: dateTime(Date.parse(at)) }), [], "bad");
  void call("DELETE", "/api/ended-by-fault").catch(() => {});
}
