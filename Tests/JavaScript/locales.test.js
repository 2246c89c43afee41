// @ts-check
import { currentWords, isRightToLeft, useWords, Words } from "../../Public/assets/js/helpers/i18n.js";
import { inUnits } from "../../Public/assets/js/helpers/in-units.js";
import { pseudo } from "../../Public/assets/js/helpers/pseudo.js";
import { catalogueOf, files, holds, languages as all, none, read, same, sectionsOf } from "./check.js";

const english = catalogueOf("en");
const languages = all.filter((code) => code !== "en");

/** The sentences of a message, one or several. @param {import("./check.js").Catalogue[string] | undefined} message */
const sentences = (message) => (typeof message === "string" ? [message] : Object.values(message ?? {}));

/** @param {string} text */
const placeholders = (text) => (text.match(/\{\w+\}/g) ?? []).toSorted();

// What is the same word in every language, or no word at all.
const sameEverywhere =
  /^(shell\.(product|version)|unit\.|state\.label_wait|timing\.tls|detail\.url|timeline\.(change|since|folded)|network\.col\.(seq|status|method)|about\.(method|status|dur|size|since|is|has)$|say\.group$|tree\.(part|found_at)$|developer\.backend$)/;
Deno.test("every language that the pages offer has its file, and no other file lies there", () => {
  same(
    files("assets/locales/", ".json"),
    all.map((code) => `assets/locales/${code}.json`).toSorted(),
  );
});

Deno.test("a key lies in one section, and in the same one in every language", () => {
  /** @type {string[]} */
  const wrong = [];
  const seen = new Set();
  const sections = sectionsOf("en");
  for (const code of languages) same(Object.keys(sectionsOf(code)).toSorted(), Object.keys(sections).toSorted(), code);
  for (const [name, messages] of Object.entries(sections)) {
    const keys = Object.keys(messages);
    wrong.push(...keys.filter((key) => seen.has(key)).map((key) => `twice: ${key}`));
    for (const key of keys) seen.add(key);
    for (const code of languages) {
      const theirs = Object.keys(sectionsOf(code)[name] ?? {});
      wrong.push(...keys.filter((key) => !theirs.includes(key)).map((key) => `${code} ${name} lacks ${key}`));
      wrong.push(...theirs.filter((key) => !keys.includes(key)).map((key) => `${code} ${name} has ${key} alone`));
    }
  }
  none(wrong, "keys");
});

Deno.test("a plural message has exactly the categories of its language", () => {
  /** @type {string[]} */
  const wrong = [];
  for (const code of all) {
    const wanted = new Intl.PluralRules(code).resolvedOptions().pluralCategories.toSorted();
    const messages = catalogueOf(code);
    for (const [key, message] of Object.entries(messages)) {
      const kinds = [message, english[key]].map((one) => typeof one);
      if (kinds[0] !== kinds[1]) wrong.push(`${code} ${key}: kind`);
      if (typeof message === "string") continue;
      const have = Object.keys(message).toSorted();
      if (have.join() !== wanted.join()) wrong.push(`${code} ${key}: ${have} instead of ${wanted}`);
    }
  }
  none(wrong, "plural categories");
});

Deno.test("a translation keeps the placeholders; only a form that names the number in words may leave it out", () => {
  /** @type {string[]} */
  const wrong = [];
  for (const code of languages) {
    const messages = catalogueOf(code);
    for (const [key, message] of Object.entries(english)) {
      const wanted = placeholders(sentences(message).at(-1) ?? "");
      const translated = messages[key];
      for (
        const [category, text] of Object.entries(typeof translated === "string" ? { "": translated } : translated ?? {})
      ) {
        const have = placeholders(text);
        const spelled = ["zero", "one", "two"].includes(category) &&
          [...have, "{n}"].toSorted().join() === wanted.join();
        if (have.join() !== wanted.join() && !spelled) {
          wrong.push(`${code} ${key} ${category}: ${have} instead of ${wanted}`);
        }
      }
    }
  }
  none(wrong, "placeholders");
});

Deno.test("nothing is left in English", () => {
  /** @type {string[]} */
  const wrong = [];
  for (const code of languages) {
    // Words that the language shares with English by right.
    const shared = JSON.parse(read(`assets/locales/${code}.json`)).same_as_english ?? [];
    for (const [key, message] of Object.entries(catalogueOf(code))) {
      if (sameEverywhere.test(key) || shared.includes(key)) continue;
      const before = new Set(sentences(english[key]));
      wrong.push(...sentences(message).filter((text) => before.has(text)).map((text) => `${code} ${key}: ${text}`));
    }
  }
  none(wrong, "sentences that are the English ones");
});

Deno.test("a language is written in its own script", () => {
  /** @type {string[]} */
  const wrong = [];
  for (const code of languages) {
    const name = new Intl.Locale(code).maximize().script;
    if (!name || name === "Latn") continue;
    const script = name === "Jpan" ? /[\p{sc=Hira}\p{sc=Kana}\p{sc=Han}]/u : new RegExp(`\\p{sc=${name}}`, "u");
    for (const [key, message] of Object.entries(catalogueOf(code))) {
      if (sameEverywhere.test(key) || key === "network.filter_hint") continue;
      wrong.push(
        ...sentences(message).filter((text) => !script.test(text) && /\p{L}{3}/u.test(text.replace(/\{\w+\}/g, "")))
          .map((text) => `${code} ${key}: ${text}`),
      );
    }
  }
  none(wrong, "sentences in another script");
});

Deno.test("a message neither starts nor ends with a space, and holds no markup", () => {
  /** @type {string[]} */
  const wrong = [];
  for (const code of all) {
    for (const [key, message] of Object.entries(catalogueOf(code))) {
      wrong.push(
        ...sentences(message).filter((text) => text !== text.trim() || text === "" || /[<>](?!=|\d)|&\w+;/.test(text))
          .map((text) => `${code} ${key}: ${text}`),
      );
    }
  }
  none(wrong, "untidy messages");
});

Deno.test("a value that is missing leaves no stray space in a sentence", () => {
  /** @type {string[]} */
  const wrong = [];
  for (const code of all) {
    for (const [key, message] of Object.entries(catalogueOf(code))) {
      for (const pattern of sentences(message)) {
        const names = placeholders(pattern).map((one) => one.slice(1, -1));
        for (const missing of names) {
          const values = Object.fromEntries(names.map((name) => [name, name === missing ? "" : "x"]));
          const text = new Words({ key: pattern }, code).text("key", values);
          if (/ {2}|^ | $| [.,)。、،؛]/.test(text)) wrong.push(`${code} ${key}: ${text}`);
        }
      }
    }
  }
  none(wrong, "stray spaces");
});

Deno.test("the pseudo-locales are made from the English of the moment, so they are always complete", () => {
  const offered = /name="languages" content="([^"]+)"/.exec(read("parts/head.html"))?.[1]?.split(" ") ?? [];
  same(offered.filter((code) => code.includes("-X")), ["en-XA", "ar-XB"]);
  for (const code of ["en-XA", "ar-XB"]) same(Object.keys(pseudo(english, code)), Object.keys(english));
});

Deno.test("the script that runs before the first paint knows the same directions as the words", () => {
  const boot = /root\.dir = \/\^\(([a-z|]+)\)/.exec(read("assets/js/boot.js"))?.[1]?.split("|") ?? [];
  const words = /\/\^\(([a-z|]+)\)\$\//.exec(String(isRightToLeft))?.[1]?.split("|");
  same(boot, words);
  holds(boot.every(isRightToLeft) && !isRightToLeft("en"), "directions");
});

Deno.test("a length of time has its two largest units, and a sign where the language has it", () => {
  const before = currentWords();
  useWords(new Words(english));
  same([inUnits(960), inUnits(93_784), inUnits(960, "always")], ["16 min", "1 day 2 hr", "+16 min"]);
  useWords(new Words(catalogueOf("ar"), "ar"));
  same([inUnits(86_400, "always"), inUnits(172_800)], ["\u200E+1 ي", "يومان"]);
  useWords(before);
});
