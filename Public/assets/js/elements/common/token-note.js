// @ts-check
import { h } from "../../helpers/dom.js";
import { clockTime, currentWords, dateTime, t } from "../../helpers/i18n.js";
import { factsOf, lifeOf, tokensIn, useOf } from "../../models/network/masked-token.js";
import { lengthText } from "./explained.js";

/** @typedef {import("../../models/network/masked-token.js").MaskedToken} MaskedToken */

/** @type {Record<ReturnType<typeof useOf>, string>} */
const names = {
  access: "detail.token.access",
  refresh: "detail.token.refresh",
  identity: "detail.token.identity",
  other: "detail.token.other",
};

/** "Access token, issued 14:07:31, valid 15 min, 3 min left". @param {MaskedToken} token @param {string} name @param {string} when */
function words(token, name, when) {
  const { issued, valid, left } = lifeOf(token, when);
  const isSameDay = issued !== undefined && Math.abs(issued - Date.parse(when)) < 43_200_000;
  const list = [
    t(names[useOf(name)]),
    issued === undefined ? "" : t("detail.token.issued", { time: isSameDay ? clockTime(issued) : dateTime(issued) }),
    valid === undefined ? "" : t("detail.token.valid", { span: lengthText(valid) }),
    left === undefined ? "" : t(left > 0 ? "detail.token.left" : "detail.token.ended", { span: lengthText(Math.abs(left)) }),
  ].filter(Boolean);
  return new Intl.ListFormat(currentWords().locale, { type: "unit", style: "short" }).format(list);
}

/**
 * The facts about the tokens behind the masks in a value.
 * @param {string} value
 * @param {string} name the value's
 * @param {MaskedToken[] | undefined} tokens
 * @param {string} when of the row, RFC 3339
 * @returns {HTMLElement[]}
 */
export const tokenNotes = (value, name, tokens, when) =>
  tokensIn(value, tokens).map((token) => {
    const facts = factsOf(token);
    return h(
      "span",
      { class: "token-note" },
      h("span", { dir: "auto" }, words(token, name, when)),
      facts ? " " : null,
      facts ? h("bdi", { class: "mono faint", dir: "ltr", "data-secret": true }, facts) : null,
    );
  });
