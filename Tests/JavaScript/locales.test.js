// @ts-check
import { pageLanguages } from "../../Public/assets/js/models/shell/language.js";
import { pseudo } from "../../Public/assets/js/helpers/pseudo.js";
import { catalogueOf, catalogueParts, files, holds, none, read, same } from "./check.js";

const english = catalogueOf("en");
const languages = pageLanguages.flatMap((one) => (one.name && one.code !== "en" ? [one.code] : []));

/** The sentences of a message, one or several. @param {import("./check.js").Catalogue[string] | undefined} message */
const sentences = (message) => (typeof message === "string" ? [message] : Object.values(message ?? {}));

/** @param {string} text */
const placeholders = (text) => (text.match(/\{\w+\}/g) ?? []).toSorted();

// What is the same word in every language, or no word at all.
const sameEverywhere =
  /^(shell\.(product|staging|version)|unit\.|state\.label_wait|timing\.tls|detail\.url|timeline\.(change|since)|network\.col\.(seq|status|method)|about\.(method|status|dur|size|since|is|has)$|say\.group$|tree\.(part|found_at)$|developer\.backend$)/;
// Words that two languages share by right.
/** @type {Record<string, string[]>} */
const shared = {
  de: [
    "timeline.tokens",
    "connection.live",
    "inbox.kind.magic_link",
    "inbox.kind.login_code",
    "account.name",
    "network.filter",
    "network.filter_hint",
    "detail.status",
  ],
  fr: [
    "shell.nav",
    "inbox.list",
    "inbox.title",
    "palette.group.page",
    "palette.group.action",
    "settings.session",
    "row.source.cache",
    "inbox.kind.login_code",
    "settings.clock_16m",
    "timing.total",
  ],
  es: ["detail.error", "account.roles", "timing.total"],
  pl: ["inbox.kind.magic_link", "detail.status", "profiles.count"],
};

Deno.test("every language has every part of the catalogue, and no other file lies there", () => {
  const wanted = ["en", ...languages].flatMap((code) =>
    catalogueParts.map((part) => `assets/locales/${code}${part}.json`)
  );
  same(files("assets/locales/", ".json"), wanted.toSorted());
});

Deno.test("a key lies in one part of the catalogue, and in the same one in every language", () => {
  /** @type {string[]} */
  const wrong = [];
  const seen = new Set();
  for (const part of catalogueParts) {
    const keys = Object.keys(JSON.parse(read(`assets/locales/en${part}.json`)));
    wrong.push(...keys.filter((key) => seen.has(key)).map((key) => `twice: ${key}`));
    for (const key of keys) seen.add(key);
    for (const code of languages) {
      const theirs = Object.keys(JSON.parse(read(`assets/locales/${code}${part}.json`)));
      wrong.push(...keys.filter((key) => !theirs.includes(key)).map((key) => `${code}${part} lacks ${key}`));
      wrong.push(...theirs.filter((key) => !keys.includes(key)).map((key) => `${code}${part} has ${key} alone`));
    }
  }
  none(wrong, "keys");
});

Deno.test("a plural message has exactly the categories of its language", () => {
  /** @type {string[]} */
  const wrong = [];
  for (const code of ["en", ...languages]) {
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
    for (const [key, message] of Object.entries(catalogueOf(code))) {
      if (sameEverywhere.test(key) || shared[code]?.includes(key)) continue;
      const before = new Set(sentences(english[key]));
      wrong.push(...sentences(message).filter((text) => before.has(text)).map((text) => `${code} ${key}: ${text}`));
    }
  }
  none(wrong, "sentences that are the English ones");
});

Deno.test("a language is written in its own script", () => {
  const scripts = { ja: /[\p{sc=Hira}\p{sc=Kana}\p{sc=Han}]/u, ar: /\p{sc=Arab}/u, he: /\p{sc=Hebr}/u };
  /** @type {string[]} */
  const wrong = [];
  for (const [code, script] of Object.entries(scripts)) {
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
  for (const code of ["en", ...languages]) {
    for (const [key, message] of Object.entries(catalogueOf(code))) {
      wrong.push(
        ...sentences(message).filter((text) => text !== text.trim() || text === "" || /[<>](?!=|\d)|&\w+;/.test(text))
          .map((text) => `${code} ${key}: ${text}`),
      );
    }
  }
  none(wrong, "untidy messages");
});

Deno.test("the pseudo-locales are made from the English of the moment, so they are always complete", () => {
  for (const code of ["en-XA", "ar-XB"]) {
    holds(pageLanguages.some((one) => one.code === code && one.name === null), `${code} is offered`);
    same(Object.keys(pseudo(english, code)), Object.keys(english));
  }
});

Deno.test("the languages that a page starts with are those that it offers", () => {
  const boot = read("assets/js/boot.js");
  const known = Array.from(/known = \[([^\]]+)\]/.exec(boot)?.[1]?.matchAll(/"([^"]+)"/g) ?? [], (match) => match[1]);
  same(known, pageLanguages.map((one) => one.code));
});
