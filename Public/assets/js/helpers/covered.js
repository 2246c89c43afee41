// @ts-check
import { personalParts } from "../models/network/row-view.js";
import { h } from "./dom.js";

/** A text in which presentation mode covers what may name somebody. @param {string} text @returns {(string | HTMLElement)[]} */
export const covered = (text) =>
  personalParts(text).map((part, index) => index % 2 ? h("span", { "data-secret": "" }, part) : part);
