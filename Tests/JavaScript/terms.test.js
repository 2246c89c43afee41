// @ts-check
import { catalogueOf, none } from "./check.js";

/** Words that stand for something that has another word on the pages, by language. @type {Record<string, RegExp>} */
const others = {
  en: new RegExp(
    [
      "snapshots?|e-mails?|cancelled|colour|log(ged)? in|log(ged)? out|magic",
      "(dis)?arm(s|ed)?|on purpose|refus(e|es|ed)|forg[eo]t|drop(s|ped)|taken?|give back",
      "API description|embedded|redact(ed|ions?)?|flows?|server|somebody|whoever|any more",
    ].join("|").replace(/^(.*)$/, "\\b($1)\\b"),
    "i",
  ),
};

/** An answer is what a cue has; everything else has a response. */
const cueWords = /^cues\./;

/** Each sentence of a language, with its key. @param {string} code @returns {[string, string][]} */
const sentencesOf = (code) =>
  Object.entries(catalogueOf(code)).flatMap(([key, message]) =>
    (typeof message === "string" ? [message] : Object.values(message)).map((text) => /** @type {[string, string]} */ ([key, text]))
  );

Deno.test("a thing has one word on all pages", () => {
  /** @type {string[]} */
  const wrong = [];
  for (const [code, words] of Object.entries(others)) {
    wrong.push(...sentencesOf(code).filter(([, text]) => words.test(text)).map(([key, text]) => `${code} ${key}: ${text}`));
  }
  wrong.push(
    ...sentencesOf("en").filter(([key, text]) => /\banswer/i.test(text) && !cueWords.test(key)).map(([key, text]) => `en ${key}: ${text}`),
  );
  none(wrong, "sentences with another word");
});
