// @ts-check
import { h } from "./dom.js";

/**
 * A text field for technical values, such as a path or a header: from left to right in every language, and never corrected.
 * @param {Record<string, string | number | null | undefined>} attributes further ones, or others
 */
export const verbatimInput = (attributes) =>
  h("input", {
    class: "input input-small",
    type: "text",
    dir: "ltr",
    autocomplete: "off",
    autocapitalize: "none",
    spellcheck: "false",
    ...attributes,
  });
