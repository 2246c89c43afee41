// @ts-check
import { personalParts } from "../models/network/row-view.js";
import { h } from "./dom.js";

/** A text whose personal parts presentation mode covers. @param {string} text @returns {(string | HTMLElement)[]} */
export const covered = (text) =>
  personalParts(text).map((part, index) => index % 2 ? h("span", { "data-secret": "" }, part) : part);
