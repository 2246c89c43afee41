// @ts-check

/** Whether a language is written from right to left; pseudo-locales count as English. @param {string} code */
export const isRightToLeft = (code) => /^(ar|dv|fa|he|ps|sd|ug|ur|yi)$/.test(code);

/**
 * A message: a sentence, or one for each plural category of its parameter `n`.
 * @typedef {string | Record<string, string>} Message
 * @typedef {Record<string, Message>} Catalogue
 * @typedef {Record<string, string | number>} Parameters
 */

/** The words of one language: selects the plural category, fills in parameters, and formats numbers. */
export class Words {
  #catalogue;
  #isRightToLeft;
  /** Made when first needed: the first of each costs the browser 10 ms. @type {Intl.PluralRules | undefined} */
  #plurals;
  /** @type {Intl.NumberFormat | undefined} */
  #numbers;

  /**
   * @param {Catalogue} catalogue
   * @param {string} language a BCP 47 name; the pseudo-locales count and format as English
   */
  constructor(catalogue, language = "en") {
    // Codes, statuses and clocks have Latin digits in every language, so numbers have them too.
    /** The locale that `Intl` formats with. */
    this.locale = language.includes("-X") ? "en" : `${language}-u-nu-latn`;
    /** @type {Catalogue} */
    this.#catalogue = { ...catalogue };
    // Values in Latin letters are isolated, so that they do not move the punctuation of the sentence.
    this.#isRightToLeft = isRightToLeft(language);
  }

  /** Adds messages to these. @param {Catalogue} catalogue */
  add(catalogue) {
    Object.assign(this.#catalogue, catalogue);
  }

  /** The keys that begin with a text, in the order of the catalogue. @param {string} start */
  keys(start) {
    return Object.keys(this.#catalogue).filter((key) => key.startsWith(start));
  }

  /** Whether the catalogue has this key. @param {string} key */
  has(key) {
    return Object.hasOwn(this.#catalogue, key);
  }

  /**
   * The message of a key with its parameters filled in; a missing key is shown as itself.
   * @param {string} key
   * @param {Parameters} parameters `n` chooses the plural category
   */
  text(key, parameters = {}) {
    const message = this.has(key) ? this.#catalogue[key] : undefined;
    if (message === undefined) return key;
    const pattern = typeof message === "string"
      ? message
      : message[(this.#plurals ??= new Intl.PluralRules(this.locale)).select(Number(parameters.n))] ?? message.other ?? key;
    return pattern.replace(/( ?)\{(\w+)\}/g, (whole, space, name) => {
      const value = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
      if (value === undefined) return whole;
      if (typeof value === "number") return space + (this.#numbers ??= new Intl.NumberFormat(this.locale)).format(value);
      // Without a value, the space in front of it goes too.
      if (value === "") return "";
      return space + (this.#isRightToLeft && /[a-z]/i.test(value) ? `\u2068${value}\u2069` : value);
    }).trimStart();
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
 * Puts the page's words into every `data-i18n` (text) and `data-i18n-attr` (`name:key` pairs, `;` between them). The title of
 * the document names the product too.
 * @param {ParentNode} root
 */
export function translate(root) {
  for (const element of root.querySelectorAll("[data-i18n]")) {
    const key = element.getAttribute("data-i18n") ?? "";
    if (!words.has(key)) continue;
    const text = words.text(key);
    element.textContent = element.localName === "title" ? `${text} · ${words.text("shell.product")}` : text;
  }
  for (const element of root.querySelectorAll("[data-i18n-attr]")) {
    for (const pair of (element.getAttribute("data-i18n-attr") ?? "").split(";")) {
      const [name, key] = pair.split(":");
      if (name && key && words.has(key)) element.setAttribute(name, words.text(key));
    }
  }
}

/** @type {Map<string, Intl.DateTimeFormat | Intl.NumberFormat>} */
const made = new Map();

/**
 * @template {Intl.DateTimeFormat | Intl.NumberFormat} Kind
 * @param {string} name
 * @param {(locale: string) => Kind} make
 * @returns {Kind}
 */
function formatter(name, make) {
  const locale = currentWords().locale;
  const key = `${locale} ${name}`;
  const found = made.get(key);
  if (found) return /** @type {Kind} */ (found);
  const fresh = make(locale);
  made.set(key, fresh);
  return fresh;
}

/**
 * A time of day to the second, or an en dash if there is none.
 * @param {string | number | undefined | null} when RFC 3339 or milliseconds
 */
export const clockTime = (when) =>
  dated(when, "clock", { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });

/** @param {string | number | undefined | null} when @param {string} name @param {Intl.DateTimeFormatOptions} options */
function dated(when, name, options) {
  const instant = when === undefined || when === null ? Number.NaN : new Date(when).getTime();
  if (!Number.isFinite(instant)) return "–";
  return formatter(name, (locale) => new Intl.DateTimeFormat(locale, options)).format(instant);
}

/** A time of day to the millisecond. @param {string | number | undefined | null} when */
export const preciseTime = (when) =>
  dated(when, "precise", {
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    fractionalSecondDigits: 3,
    hourCycle: "h23",
  });

/** A date with its time to the second. @param {string | number | undefined | null} when */
export const dateTime = (when) =>
  dated(when, "full", {
    year: "numeric",
    month: "short",
    day: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
  });

/** A time of day, with its date unless that is today. @param {string | number} when */
export const moment = (when) =>
  new Date(when).toDateString() === new Date().toDateString() ? clockTime(when) : dateTime(when);

/** A number of bytes with a unit. @param {number | undefined | null} count */
export function byteSize(count) {
  if (typeof count !== "number" || !Number.isFinite(count)) return "–";
  const [value, key] = count < 1000
    ? [count, "unit.b"]
    : count < 1e6
    ? [count / 1e3, "unit.kb"]
    : [count / 1e6, "unit.mb"];
  const digits = key === "unit.b" || value >= 100 ? 0 : 1;
  const shown = formatter(`size${digits}`, (locale) => new Intl.NumberFormat(locale, { maximumFractionDigits: digits }))
    .format(value);
  return t(key, { value: shown });
}

/** A duration in milliseconds, in seconds from ten seconds on. @param {number | undefined | null} duration milliseconds */
export function milliseconds(duration) {
  if (typeof duration !== "number" || !Number.isFinite(duration)) return "–";
  const [value, key, digits] = duration < 10_000
    ? [duration, "unit.ms", duration < 10 ? 1 : 0]
    : [duration / 1000, "unit.s", 1];
  const shown = formatter(`time${digits}`, (locale) => new Intl.NumberFormat(locale, { maximumFractionDigits: digits }))
    .format(value);
  return t(key, { value: shown });
}

/**
 * The rest of a time: `m:ss` or `h:mm:ss`, and from a day on in days and hours in words; never negative.
 * @param {number} seconds
 */
export function remaining(seconds) {
  const whole = Math.max(0, Math.ceil(seconds));
  if (whole >= 86_400) {
    const hours = Math.round(whole / 3600);
    const format = new Intl.DurationFormat(currentWords().locale, { style: "long" });
    return format.format({ days: Math.floor(hours / 24), hours: hours % 24 });
  }
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60)];
  /** @param {number} part */
  const two = (part) => String(part).padStart(2, "0");
  return hours ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}

/**
 * The name of a fault rule: in the page's language for a preset whose words are loaded, else as the user named it.
 * @param {{name: string, preset?: string}} fault
 */
export function faultName({ name, preset }) {
  const key = `fault.preset.${preset}`;
  return preset && currentWords().has(key) ? t(key) : name;
}
