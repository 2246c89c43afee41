// @ts-check
import { meaning } from "../../models/faults/faults.js";
import { currentWords, isRightToLeft, t } from "../../helpers/i18n.js";

/** A rule's meaning, in sentences of the page's language. @param {import("../../models/faults/faults.js").FaultDraft} rule */
export function faultSentence(rule) {
  const { calls, sentences } = meaning(rule);
  const subject = t(calls.key, calls.parameters);
  return sentences.map(({ key, parameters }) => t(key, { ...parameters, calls: subject })).join(" ");
}

/** The ids of the presets, in the order of their words. */
export const presetIds = () => currentWords().keys("fault.preset.").map((key) => key.slice("fault.preset.".length));

/**
 * Names joined to a list of the page's language. The list keeps the page's direction even if a name has another one.
 * @param {string[]} names
 */
export function listOf(names) {
  const { locale } = currentWords();
  const isolated = isRightToLeft(new Intl.Locale(locale).language) ? names.map((name) => `\u2068${name}\u2069`) : names;
  return new Intl.ListFormat(locale, { type: "conjunction" }).format(isolated);
}
