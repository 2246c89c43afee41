// @ts-check
import { call } from "../../api.js";
import { dateTime, t } from "../../helpers/i18n.js";
import { showToast } from "../../helpers/notice.js";

/**
 * Says how the console before this one ended. It is told once: the console forgets it now.
 * @param {{signal: string, at: string}} fault
 */
export function tellFault({ signal, at }) {
  showToast(t("network.ended_by_fault", { signal, time: dateTime(Date.parse(at)) }), [], "bad");
  void call("DELETE", "/api/ended-by-fault").catch(() => {});
}
