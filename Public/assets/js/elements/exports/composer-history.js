// @ts-check
import { call } from "../../api.js";
import { h, plainButton } from "../../helpers/dom.js";
import { clockTime, t } from "../../helpers/i18n.js";
import { composedRows } from "../../models/exports/composed.js";
import { draftOf, isBodyLost } from "../../models/exports/composer.js";
import { callName, statusLabel } from "../../models/network/row-view.js";
import { loadWords, session } from "../../page.js";

/** @typedef {import("../../models/exports/composer.js").Draft} Draft */

/** The drafts of this page's requests by row, with bodies that the log does not store. @type {Map<string, Draft>} */
export const sentDrafts = new Map();

/**
 * The composed requests of this device, which fill the form again.
 * @param {(draft: Draft, isBodyLost: boolean) => void} fill
 */
export function composedHistory(fill) {
  const list = h("ul", { class: "composed-list", id: "composed-list" });
  const root = h("details", { class: "composer-more", id: "compose-history" }, h("summary", {}, t("compose.history")), list);
  root.addEventListener("toggle", () => {
    if (root.open) void show(list, fill);
  });
  return root;
}

/** @param {HTMLElement} list @param {(draft: Draft, isBodyLost: boolean) => void} fill */
async function show(list, fill) {
  const ids = composedRows(localStorage, session.state?.device_id ?? "");
  // A row that was evicted or cleared is not part of the history any more.
  const found = await Promise.allSettled([
    loadWords("network").then(() => null),
    ...ids.map((id) => call("GET", `/api/network/${encodeURIComponent(id)}`)),
  ]);
  const rows = found.flatMap((one) => (one.status === "fulfilled" && one.value ? [one.value] : []));
  if (!rows.length) return list.replaceChildren(h("li", { class: "small muted" }, t("compose.no_history")));
  list.replaceChildren(...rows.map((row) => {
    const label = statusLabel(row);
    const held = sentDrafts.get(row.id);
    const use = () => fill({ ...(held ?? draftOf(row)), confirm: false }, !held && isBodyLost(row));
    return h(
      "li",
      {},
      plainButton(
        "composed-line",
        { onclick: use },
        h("bdi", { class: "mono grow", dir: "ltr" }, callName(row)),
        h("span", { class: "nums" }, label.digits ?? t(label.key ?? "")),
        h("span", { class: "muted nums" }, clockTime(row.started_at)),
      ),
    );
  }));
}
