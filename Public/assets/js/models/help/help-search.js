// @ts-check
import { folded } from "../shell/language.js";

/** The words of a query, each once, as they are compared. @param {string} query */
export const wordsOf = (query) => [...new Set(folded(query).split(/\s+/).filter(Boolean))];

/** Whether a text has all the words. @param {string} text @param {string[]} words */
export function hasAll(text, words) {
  const place = folded(text);
  return words.every((word) => place.includes(word));
}

/**
 * Where the words are in a text: pairs of begin and end.
 * @param {string} text @param {string[]} words @returns {[number, number][]}
 */
export function placesOf(text, words) {
  const place = folded(text);
  // A text whose length changes by case folding has no positions; it is found nevertheless.
  if (place.length !== text.length) return [];
  return words.flatMap((word) => {
    /** @type {[number, number][]} */
    const found = [];
    for (let at = place.indexOf(word); at >= 0; at = place.indexOf(word, at + word.length)) found.push([at, at + word.length]);
    return found;
  });
}
