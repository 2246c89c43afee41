// @ts-check
import { h } from "./dom.js";

/**
 * A table; its caption is for screen readers.
 * @param {string} className
 * @param {string} caption
 * @param {string[]} heads of the columns, none if the rows say what they are
 * @param {import("./dom.js").Child[][]} rows their cells
 * @param {import("./dom.js").Child} [foot]
 */
export const table = (className, caption, heads, rows, foot) =>
  h(
    "table",
    { class: className },
    h("caption", { class: "visually-hidden" }, caption),
    heads.length > 0 && h("thead", {}, h("tr", {}, ...heads.map((head) => h("th", { scope: "col" }, head)))),
    h("tbody", {}, ...rows.map((cells) => h("tr", {}, ...cells))),
    foot,
  );
