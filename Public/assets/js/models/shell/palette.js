// @ts-check
import { folded } from "./language.js";

/**
 * An entry of the palette: `run` is the shell's, `words` the text that is searched.
 * @typedef {{id: string, group: "page" | "action" | "fault" | "device" | "language", words: string, keys?: string, lang?: string}} Entry
 */

/**
 * How well a text matches the input: higher is better, 0 means no match. The letters must be in order; consecutive letters and a
 * word's first letter count more.
 * @param {string} typed
 * @param {string} text
 */
export function score(typed, text) {
  const [wanted, place] = [folded(typed.trim()), folded(text)];
  if (!wanted) return 1;
  const whole = place.indexOf(wanted);
  if (whole >= 0) return 1000 - whole + (whole === 0 || /[\s-]/.test(place.charAt(whole - 1)) ? 500 : 0);
  let [at, points] = [-1, 0];
  for (const letter of wanted) {
    const next = place.indexOf(letter, at + 1);
    if (next < 0) return 0;
    points += next === at + 1 ? 8 : /[\s-]/.test(place.charAt(next - 1)) ? 6 : 1;
    at = next;
  }
  return points;
}

/** The names of the actions in the HTML of a page, each once. @param {string} html @returns {string[]} */
export const actionsIn = (html) => [
  ...new Set(Array.from(html.matchAll(/\sdata-action="([\w-]+)"/g), (match) => match[1] ?? "")),
];

/** The matching entries, best first; equals keep their order. @param {Entry[]} entries @param {string} typed */
export const matching = (entries, typed) =>
  entries
    .map((entry, index) => ({ entry, index, points: score(typed, entry.words) }))
    .filter((one) => one.points > 0)
    .toSorted((a, b) => b.points - a.points || a.index - b.index)
    .map((one) => one.entry);
