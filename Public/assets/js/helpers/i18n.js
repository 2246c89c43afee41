// @ts-check
/**
 * A message: a sentence, or one per plural category of its parameter `n`.
 * @typedef {string | Record<string, string>} Message
 * @typedef {Record<string, Message>} Catalogue
 * @typedef {Record<string, string | number>} Parameters
 */

const accented = new Map(
  Array.from("aàbƀcçdðeéfƒgĝhĥiîjĵkķlļmɱnñoöpþqǫrŕsštţuûvṽwŵxẋyýzžAÀBƁCÇDÐEÉFƑGĜHĤIÎJĴKĶLĻMṀNÑOÖPÞQǪRŔSŠTŢUÛVṼWŴXẊYÝZŽ")
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
 * Any other name gives the catalogue as it is.
 * @param {Catalogue} catalogue
 * @param {string} language
 * @returns {Catalogue}
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

/** The words of one language: picks the plural category, fills the parameters, formats their numbers. */
export class Words {
  /**
   * @param {Catalogue} catalogue
   * @param {string} language a BCP 47 name; the pseudo-locales count and format as English
   */
  constructor(catalogue, language = "en") {
    this.language = language;
    /** The locale that `Intl` formats with. */
    this.locale = language.includes("-X") ? "en" : language;
    this.catalogue = pseudo(catalogue, language);
    this.plurals = new Intl.PluralRules(this.locale);
    this.numbers = new Intl.NumberFormat(this.locale);
  }

  /** Whether the catalogue has this key. @param {string} key */
  has(key) {
    return Object.hasOwn(this.catalogue, key);
  }

  /**
   * The message of a key with its parameters filled in; a key that is not there is shown as itself.
   * @param {string} key
   * @param {Parameters} parameters `n` chooses the plural category
   */
  text(key, parameters = {}) {
    const message = this.has(key) ? this.catalogue[key] : undefined;
    if (message === undefined) return key;
    const pattern = typeof message === "string"
      ? message
      : message[this.plurals.select(Number(parameters.n))] ?? message.other ?? key;
    return pattern.replace(/\{(\w+)\}/g, (whole, name) => {
      const value = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
      return value === undefined ? whole : typeof value === "number" ? this.numbers.format(value) : value;
    });
  }
}

let words = new Words({});

/** Makes these the words of the page. @param {Words} chosen */
export function useWords(chosen) {
  words = chosen;
}

/** The words of the page. */
export const currentWords = () => words;

/** The page's message of a key. @param {string} key @param {Parameters} [parameters] */
export const t = (key, parameters) => words.text(key, parameters);

/**
 * Puts the page's words into every `data-i18n` (text) and `data-i18n-attr` (`name:key` pairs, `;` between them).
 * @param {ParentNode} root
 */
export function translate(root) {
  for (const element of root.querySelectorAll("[data-i18n]")) {
    const key = element.getAttribute("data-i18n") ?? "";
    if (words.has(key)) element.textContent = words.text(key);
  }
  for (const element of root.querySelectorAll("[data-i18n-attr]")) {
    for (const pair of (element.getAttribute("data-i18n-attr") ?? "").split(";")) {
      const [name, key] = pair.split(":");
      if (name && key && words.has(key)) element.setAttribute(name, words.text(key));
    }
  }
}
