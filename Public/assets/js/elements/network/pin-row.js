// @ts-check
import { call } from "../../api.js";
import { announce } from "../../helpers/dom.js";
import { t } from "../../helpers/i18n.js";
import { showFailure } from "../common/notice.js";

/**
 * Pins or unpins a row. The row shows the result; a notice shows a failure.
 * @param {import("../../models/network/row-store.js").RowStore} store
 * @param {string} id
 */
export async function pinRow(store, id) {
  const slot = store.slotOf(id);
  if (slot < 0) return;
  const pinned = !store.row(slot).is_pinned;
  try {
    await call("POST", `/api/network/${encodeURIComponent(id)}/pin`, { body: { pinned } });
    announce(t(pinned ? "network.pinned" : "network.unpinned"));
  } catch (error) {
    showFailure(error);
  }
}
