// @ts-check
const accented = new Map(
  Array.from(
    "aàbƀcçdðeéfƒgĝhĥiîjĵkķlļmɱnñoöpþqǫrŕsštţuûvṽwŵxẋyýzž" +
      "AÀBƁCÇDÐEÉFƑGĜHĤIÎJĴKĶLĻMṀNÑOÖPÞQǪRŔSŠTŢUÛVṼWŴXẊYÝZŽ",
  )
    .reduce((pairs, character, index, all) => {
      if (index % 2 === 0) pairs.push([character, all[index + 1] ?? character]);
      return pairs;
    }, /** @type {[string, string][]} */ ([])),
);

/** @param {string} text @param {(plain: string) => string} change */
const outsidePlaceholders = (text, change) =>
  text.split(/(\{\w+\})/).map((part, index) => (index % 2 ? part : change(part))).join("");

/** @param {string} text */
const lengthened = (text) => {
  const body = outsidePlaceholders(text, (plain) => Array.from(plain, (c) => accented.get(c) ?? c).join(""));
  const padding = "~~~~ ".repeat(Math.ceil(text.length * 0.08)).trimEnd();
  return `[${body} ${padding}]`;
};

// Each word between right-to-left overrides, so English reads mirrored and every seam shows.
/** @param {string} text */
const mirrored = (text) => outsidePlaceholders(text, (plain) => plain.replace(/\S+/g, "\u200f\u202e$&\u202c\u200f"));

/**
 * The pseudo-locale of a catalogue: `en-XA` is accented, 40 % longer and bracketed, `ar-XB` is English set right to left.
 * Any other name returns the catalogue unchanged.
 * @param {import("./i18n.js").Catalogue} catalogue
 * @param {string} language
 * @returns {import("./i18n.js").Catalogue}
 */
export function pseudo(catalogue, language) {
  const change = language === "en-XA" ? lengthened : language === "ar-XB" ? mirrored : null;
  if (!change) return catalogue;
  return Object.fromEntries(
    Object.entries(catalogue).map(([key, message]) => [
      key,
      typeof message === "string"
        ? change(message)
        : Object.fromEntries(Object.entries(message).map(([category, text]) => [category, change(text)])),
    ]),
  );
}
