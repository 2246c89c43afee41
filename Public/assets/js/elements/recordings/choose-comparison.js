// @ts-check
import { openDialog } from "../common/dialog.js";
import { h } from "../../helpers/dom.js";
import { field } from "../../helpers/fields.js";
import { dateTime, t } from "../../helpers/i18n.js";
import { comparePage, live } from "../../models/recordings/comparison.js";
import { loadWords } from "../../page.js";

/** @typedef {import("../../models/recordings/recordings.js").Recording} Recording */

/**
 * Opens a dialog that asks which two logs to compare.
 * @param {Recording[]} recordings newest first
 * @param {string} [chosen] the id of the first one
 */
export async function chooseComparison(recordings, chosen = recordings[0]?.id ?? "") {
  await loadWords("comparison");
  // An option holds no element that could isolate the title.
  const options = () =>
    recordings.map(({ id, title, created_at: at }) => h("option", { value: id }, `\u2068${title}\u2069 · ${dateTime(at)}`));
  const first = h("select", { class: "input", id: "compare-first-log" }, ...options());
  const second = h(
    "select",
    { class: "input", id: "compare-second-log" },
    h("option", { value: live }, t("comparison.live")),
    ...options(),
  );
  first.value = chosen;
  const form = h(
    "form",
    { class: "stack" },
    field(t("comparison.first"), first),
    field(t("comparison.second"), second),
    h("p", { class: "small muted" }, t("comparison.how")),
    h(
      "div",
      { class: "row" },
      h("button", { type: "submit", class: "button button-primary", id: "start-comparison" }, t("comparison.start")),
    ),
  );
  const dialog = await openDialog("compare-dialog", t("comparison.choose"), form);
  if (!dialog) return;
  second.focus();
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    location.assign(comparePage(first.value, second.value));
  });
}
