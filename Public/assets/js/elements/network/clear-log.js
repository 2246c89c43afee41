// @ts-check
import { call } from "../../api.js";
import { t } from "../../helpers/i18n.js";
import { showFailure, showToast } from "../common/notice.js";

/**
 * Clears the log, and offers to bring it back for as long as the offer shows.
 * @param {import("./network-console.js").NetworkConsole} view
 */
export async function clearLog(view) {
  // Its row is about to be deleted, and must not be requested.
  view.close();
  try {
    await call("DELETE", "/api/network");
  } catch (error) {
    return showFailure(error);
  }
  view.pause?.end();
  // Or of another row that was opened meanwhile.
  view.close();
  view.grid.lines.gaps = [];
  await view.load();
  showToast(t("network.cleared"), [{
    label: t("action.undo"),
    id: "undo-clear",
    act: async () => {
      await call("POST", "/api/network/undo");
      await view.load();
    },
  }]);
}
