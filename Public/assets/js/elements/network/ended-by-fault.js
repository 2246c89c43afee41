// @ts-check
import { call } from "../../api.js";
import { dateTime, t } from "../../helpers/i18n.js";
import { showToast } from "../common/notice.js";

/** When the last reported fault happened; the response may repeat it until the console has deleted it. */
let told = "";

/**
 * Reports that an earlier console ended by a fault, once: the console then deletes it.
 * @param {{signal: string, at: string}} fault
 */
export function tellFault({ signal, at }) {
  if (at === told) return;
  told = at;
  showToast(t("network.ended_by_fault", { signal, time: dateTime(Date.parse(at)) }), [], "bad");
  void call("DELETE", "/api/ended-by-fault").catch(() => {});
}
