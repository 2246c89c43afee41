// @ts-check
import { download, fetchText, once } from "../../api.js";
import { copyText } from "../../helpers/copy.js";
import { busy, h, icon, plainButton } from "../../helpers/dom.js";
import { t } from "../../helpers/i18n.js";
import { isOffline, logPath, recording, rowPath } from "../../helpers/log-source.js";
import { openMenu } from "../common/menu.js";
import { copiesOf } from "../../models/exports/copies.js";

/** @typedef {import("../../models/exports/copies.js").Copy} Copy */
/** @typedef {import("../../models/exports/copies.js").Source} Source */

const sharing = once(() => import("./share-row.js"));

/** The names of the parts to copy. @type {Record<string, string>} */
const names = {
  url: "detail.url",
  link: "copy.link",
  curl: "copy.curl",
  swift: "copy.swift",
  markdown: "copy.markdown",
  har: "copy.har",
  request_headers: "copy.request_headers",
  request_body: "copy.request_body",
  response_headers: "copy.response_headers",
  response_body: "copy.response_body",
};

/** The text to copy. @param {Source} row @param {Copy} copy @returns {Promise<string>} */
async function textOf(row, { text, format }) {
  if (text !== undefined) return text;
  if (format === "link") return (await sharing()).shareRow(row);
  if (format !== "har") return fetchText(rowPath(row.id, `/${format}`));
  if (recording !== null) return fetchText(logPath(`/export?format=har&ids=${encodeURIComponent(row.id)}`));
  const answer = await download("POST", "/api/network/export", { format, ids: [row.id] });
  return answer.text();
}

/**
 * A button with a menu of a row's parts to copy; the button itself shows the result.
 * @param {() => Source | null} source the row as it is when the menu opens
 * @param {(error: unknown) => void} failed hears of an error, or null once something was copied
 */
export function copyMenu(source, failed) {
  const button = plainButton(
    "button button-quiet button-small copy",
    { id: "copy-row", "aria-haspopup": "menu", "aria-expanded": "false" },
    icon("copy", 14),
    h("span", { class: "copy-label" }, t("action.copy")),
  );
  /** @param {Source} row @param {Copy} copy */
  const choose = (row, copy) =>
    busy(button, async () => {
      await copyText(button, await textOf(row, copy));
      failed(null);
    }, failed);
  /** @param {boolean} isLast whether the focus goes to the last item */
  function open(isLast) {
    const row = source();
    if (!row) return;
    // A page without a console cannot offer the texts that a console writes.
    const offered = copiesOf(row).map((group) => group.filter(({ text }) => !isOffline || text !== undefined));
    // Other people can open the address of a recording, but do not need the console's own requests.
    if (!isOffline && recording === null && row.source !== "tool") offered[0]?.push({ key: "link", format: "link" });
    const groups = offered.filter((group) => group.length > 0).map((group) =>
      group.map((copy) => ({ id: copy.key, label: t(names[copy.key] ?? ""), act: () => choose(row, copy) }))
    );
    void openMenu(t("action.copy"), groups.flatMap((group, at) => at ? [null, ...group] : group), button, { isLast });
  }
  button.addEventListener("click", () => open(false));
  button.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    event.preventDefault();
    open(event.key === "ArrowUp");
  });
  return button;
}
