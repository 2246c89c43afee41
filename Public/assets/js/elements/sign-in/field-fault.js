// @ts-check
import { need } from "../../helpers/dom.js";
import { setInvalid } from "../../helpers/fields.js";

/**
 * Shows what is wrong with a field in the element `<id>-error`, and puts the focus on the field; an empty text takes that back.
 * @param {HTMLInputElement} field
 * @param {string} text
 * @param {boolean} [isItsOwn] whether the field itself is wrong
 */
export function fieldFault(field, text, isItsOwn = true) {
  const place = need(document, `#${field.id}-error`, HTMLElement);
  if (place.textContent !== text) place.textContent = text;
  setInvalid(field, text !== "" && isItsOwn);
  if (text) field.focus();
}
