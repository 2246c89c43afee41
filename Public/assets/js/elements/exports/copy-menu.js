// @ts-check
import { download, fetchText } from "../../api.js";
import { copyText } from "../../helpers/copy.js";
import { busy, h, icon } from "../../helpers/dom.js";
import { t } from "../../helpers/i18n.js";
import { copiesOf } from "../../models/exports/copies.js";

/** @typedef {import("../../models/exports/copies.js").Copy} Copy */
/** @typedef {import("../../models/exports/copies.js").Source} Source */

/** The names of what can be copied. @type {Record<string, string>} */
const names = {
  url: "detail.url",
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
  if (format !== "har") return fetchText(`/api/network/${encodeURIComponent(row.id)}/${format}`);
  const answer = await download("POST", "/api/network/export", { format, ids: [row.id] });
  return answer.text();
}

/**
 * A button with a menu of what can be copied of a row; the button says in place whether it was.
 * @param {() => Source | null} source the row as it is when the menu opens
 * @param {(error: unknown) => void} failed hears of an error, or null once something was copied
 */
export function copyMenu(source, failed) {
  const button = h(
    "button",
    {
      type: "button",
      class: "button button-quiet button-small copy",
      id: "copy-row",
      "aria-haspopup": "menu",
      "aria-expanded": "false",
      "aria-controls": "copy-list",
    },
    icon("copy", 14),
    h("span", { class: "copy-label" }, t("copy.menu")),
  );
  const list = h("div", { class: "menu", id: "copy-list", role: "menu", "aria-label": t("copy.menu"), hidden: true });
  const root = h("div", { class: "menu-root" }, button, list);
  const items = () => [...list.querySelectorAll("button")];

  /** @param {Source} row @param {Copy} copy */
  const choose = (row, copy) => {
    close();
    void busy(button, async () => {
      try {
        await copyText(button, await textOf(row, copy));
        failed(null);
      } catch (error) {
        failed(error);
      }
    });
  };
  /** @param {Source} row @param {Copy} copy */
  const item = (row, copy) =>
    h("button", {
      type: "button",
      role: "menuitem",
      tabindex: "-1",
      "data-copy": copy.key,
      onclick: () => choose(row, copy),
    }, t(names[copy.key] ?? ""));
  /** @param {number} at the item to focus */
  function focus(at) {
    const all = items();
    all.at(at % all.length)?.focus();
  }
  /** @param {number} at the item to focus */
  function open(at) {
    const row = source();
    if (!row) return;
    list.replaceChildren(
      ...copiesOf(row).map((group) => h("div", { role: "group" }, ...group.map((copy) => item(row, copy)))),
    );
    list.hidden = false;
    button.setAttribute("aria-expanded", "true");
    focus(at);
  }
  function close() {
    if (list.hidden) return;
    const hadFocus = list.contains(document.activeElement);
    list.hidden = true;
    button.setAttribute("aria-expanded", "false");
    if (hadFocus) button.focus();
  }
  button.addEventListener("click", () => list.hidden ? open(0) : close());
  root.addEventListener("focusout", (event) => {
    if (!(event.relatedTarget instanceof Node && root.contains(event.relatedTarget))) close();
  });
  root.addEventListener("keydown", (event) => {
    const at = items().findIndex((one) => one === document.activeElement);
    /** @type {Record<string, () => void>} */
    const keys = list.hidden ? { ArrowDown: () => open(0), ArrowUp: () => open(-1) } : {
      ArrowDown: () => focus(at + 1),
      ArrowUp: () => focus(at < 0 ? -1 : at - 1),
      Home: () => focus(0),
      End: () => focus(-1),
      Escape: close,
    };
    const act = Object.hasOwn(keys, event.key) ? keys[event.key] : undefined;
    if (!act) return;
    event.preventDefault();
    act();
  });
  return root;
}
