// @ts-check
import { h } from "./dom.js";

/**
 * A control with its label, and the elements below it.
 * @param {string} label @param {HTMLElement} control @param {...(Node | undefined)} rest
 */
export const field = (label, control, ...rest) =>
  h("div", { class: "field" }, h("label", { for: control.id }, label), control, ...rest);

/** An input for a name in any language. @param {Record<string, string>} attributes */
export const nameInput = (attributes) => h("input", { class: "input", autocomplete: "off", dir: "auto", ...attributes });

/**
 * A choice of one of several options.
 * @param {string} legend
 * @param {string} name of the radio buttons
 * @param {{value: string, label: string, hint?: string, isChosen: boolean, choose?: () => void}[]} options
 */
export const choices = (legend, name, options) =>
  h(
    "fieldset",
    { class: "field" },
    h("legend", { class: "label" }, legend),
    ...options.map(({ value, label, hint, isChosen, choose }) =>
      h(
        "label",
        { class: "choice" },
        h("input", { type: "radio", name, value, checked: isChosen, onchange: choose }),
        h("span", {}, label, hint ? h("span", { class: "small muted block" }, ` ${hint}`) : null),
      )
    ),
  );

/** Marks a control as wrong, or as right. @param {Element | null | undefined} control @param {boolean} isWrong */
export function setInvalid(control, isWrong) {
  if (isWrong) control?.setAttribute("aria-invalid", "true");
  else control?.removeAttribute("aria-invalid");
}

/**
 * Shows a field's error in the element `<id>-error` and focuses the field; an empty text clears the error.
 * @param {HTMLInputElement} input
 * @param {string} text
 * @param {boolean} [isItsOwn] whether the field itself is wrong
 */
export function fieldFault(input, text, isItsOwn = true) {
  const place = document.getElementById(`${input.id}-error`);
  // Its dialog may have been closed meanwhile.
  if (place && place.textContent !== text) place.textContent = text;
  setInvalid(input, text !== "" && isItsOwn);
  if (text) input.focus();
}
