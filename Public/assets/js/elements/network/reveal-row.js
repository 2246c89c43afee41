// @ts-check
import { t } from "../../helpers/i18n.js";
import { showToast } from "../common/notice.js";

/**
 * Brings a row into view: its groups are opened, and if the filter hides it, the page says so and offers to show it.
 * @param {import("./network-console.js").NetworkConsole} view
 * @param {import("./network-tools.js").NetworkTools} tools
 * @param {string} id
 */
export function revealRow(view, tools, id) {
  const { grid } = view;
  const { lines, store } = grid;
  const { call, flow } = store.columns;
  const slot = store.slotOf(id);
  if (slot < 0) return;
  if (lines.placeOf(id) < 0) {
    for (const number of [call[slot] ?? 0, flow[slot] ?? 0]) lines.folded.delete(store.ids.text(number));
    grid.changing(() => lines.layout());
  }
  if (lines.placeOf(id) >= 0) return grid.activate(id, false);
  showToast(t("network.hidden", { n: store.columns.seq[slot] ?? 0 }), [{
    label: t("network.clear_filter"),
    id: "show-hidden",
    act: () => {
      tools.filter.write("", false);
      grid.activate(id, true);
      return Promise.resolve();
    },
  }]);
}
