// @ts-check
import { call } from "../../api.js";
import { dateTime, t } from "../../helpers/i18n.js";
import { showToast } from "../common/notice.js";

/** When the fault happened that was told; its answer may come again, until the console has forgotten it. */
let told = "";

/**
 * Says that an earlier console ended by a fault. It is told once: the console forgets it now.
 * @param {{signal: string, at: string}} fault
 */
export function tellFault({ signal, at }) {
  if (at === told) return;
  told = at;
  showToast(t("network.ended_by_fault", { signal, time: dateTime(Date.parse(at)) }), [], "bad");
  void call("DELETE", "/api/ended-by-fault").catch(() => {});
}
