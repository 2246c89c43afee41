// @ts-check
import { catalogueOf, languages, none } from "./check.js";

/** An English term and the stem of its word in the other languages. @type {[RegExp, Record<string, RegExp>][]} */
const terms = [
  [/\bfault rules?\b/i, {
    ar: /قاعد|قواعد/,
    de: /Fehlerregel/,
    es: /reglas? de fallo/i,
    fr: /règles? de panne/i,
    he: /כלל/,
    ja: /障害ルール/,
    pl: /reguł\S* awarii/i,
  }],
  [/\brecordings?\b/i, { ar: /تسجيل/, de: /Aufnahme/, es: /grabaci/i, fr: /enregistrement/i, he: /הקלט/, ja: /記録/, pl: /nagra/i }],
  [/\brows?\b/i, { ar: /صف/, de: /Zeile/, es: /fila/i, fr: /ligne/i, he: /שור/, ja: /行/, pl: /wiersz/i }],
  [/\bresponses?\b/i, { ar: /استجاب/, de: /Antwort/, es: /respuesta/i, fr: /réponse/i, he: /תשוב/, ja: /応答/, pl: /odpowied/i }],
  [/\buser actions?\b/i, {
    ar: /إجراء المستخدم/,
    de: /Benutzeraktion/,
    es: /acci.n(es)? del usuario/i,
    fr: /action utilisateur/i,
    he: /פעולת ה?משתמש/,
    ja: /ユーザー操作/,
    pl: /akcj\S* użytkownika/i,
  }],
  [/\bmask(s|ed)?\b/i, { ar: /ق.?ن|أقنع/, de: /mask/i, es: /m[aá]sc/i, fr: /masqu/i, he: /מו?ס[כך]/, ja: /マスク/, pl: /mask/i }],
  [/\bconsoles?\b/i, { ar: /وحد(ة|ات) (ال)?تحكم/, de: /Konsole/, es: /consola/i, fr: /console/i, he: /מסו[פף]/, ja: /コンソール/, pl: /konsol/i }],
  [/\bbackends?\b/i, { ar: /خادم/, de: /Backend/, es: /backend/i, fr: /backend/i, he: /שרת/, ja: /バックエンド/, pl: /backend/i }],
  [/\bdrift\b/i, { ar: /انحراف/, de: /Abweichung/, es: /desviac/i, fr: /écart/i, he: /סטי/, ja: /差異/, pl: /rozbieżno/i }],
  [/\bworkspaces?\b/i, { ar: /مساح/, de: /Arbeitsbereich/, es: /espacio/i, fr: /espace/i, he: /סביב/, ja: /ワークスペース/, pl: /obszar/i }],
  [/\breserve[ds]?\b/i, { ar: /حجز|حجوز/, de: /reserv/i, es: /reserv/i, fr: /réserv/i, he: /ש[וי]?רי/, ja: /予約/, pl: /zarezerw/i }],
  [/\brejected\b/i, { ar: /ر.?فض|مرفوض/, de: /lehn/, es: /rechaz/i, fr: /rejet/i, he: /דח/, ja: /拒否/, pl: /odrzuc/i }],
  [/OpenAPI document/i, { ar: /مستند/, de: /Dokument/i, es: /documento/i, fr: /document/i, he: /מסמך/, ja: /文書/, pl: /dokument/i }],
  [/\bemail\b/i, {
    ar: /بريد\S* (ال)?إلكتروني/,
    de: /E-Mail-Adresse/,
    es: /correo electrónico/i,
    fr: /adresse e-mail/i,
    he: /דוא״ל/,
    ja: /メールアドレス/,
    pl: /adres\S* e-mail/i,
  }],
  [/\bmock(ed|ing)?\b/i, { ar: /محاكا/, de: /simul/i, es: /simul/i, fr: /simul/i, he: /הדמי|מודמ/, ja: /モック/, pl: /symul/i }],
  [/\bsessions?\b/i, { ar: /جلس/, de: /Sitzung/, es: /sesi/i, fr: /session/i, he: /התחברו/, ja: /セッション/, pl: /sesj/i }],
];

/** Words that stand for something that has another word on the pages, by language. @type {Record<string, RegExp>} */
const others = {
  en: new RegExp(
    "\\b(" + [
      "snapshots?|e-mails?|cancelled|colour|log(ged)? in|log(ged)? out|magic",
      "(dis)?arm(s|ed)?|on purpose|refus(e|es|ed)|forg[eo]t|drop(s|ped)|taken?|give back",
      "API description|embedded backend|redact(ed|ions?)?|flows?|server(?! error)|somebody|whoever|any more",
    ].join("|") + ")\\b",
    "i",
  ),
  ar: /نداء|إجابة|عمدًا|محجوبة|محجوب |وصف واجهة/,
  de: /scharf|entschärf|Störung|gestört|schwärz|verdeck|API-Beschreibung|absichtlich|\bSie (sind|haben|können)\b|\b(Geben|Bitten|Starten|Löschen) Sie\b/i,
  es: /servidor|a propósito|refresc|(?<!a )\bpetici|descripción de la API|usted/i,
  fr: /serveur|incident|\barmée?s?\b|désarm|exprès|rafraîch|description de l’API/i,
  he: /קונסול|תגוב|בכוונה|יזומ|תיאור ה/,
  ja: /わざと|端末|ログイン|レスポンス|伏せ|API (記述|定義)/,
  pl: /serwer(?!\S* proxy)|usterk|zakłóc|celowo|zbro[ij]|zasłoni|opis\S* API/i,
};

/** An answer is what a cue has; everything else has a response. */
const cueWords = /^cues\./;

/** The sentences of a language, each with its key, without the names of its parameters. @param {string} code @returns {[string, string][]} */
const sentencesOf = (code) =>
  Object.entries(catalogueOf(code)).flatMap(([key, message]) =>
    (typeof message === "string" ? [message] : Object.values(message)).map((text) => /** @type {[string, string]} */ ([
      key,
      text.replace(/\{\w+\}/g, ""),
    ]))
  );

Deno.test("a thing has one word on all pages", () => {
  /** @type {string[]} */
  const wrong = [];
  for (const code of languages) {
    const other = others[code];
    wrong.push(...sentencesOf(code).filter(([, text]) => other?.test(text)).map(([key, text]) => `${code} ${key}: ${text}`));
  }
  wrong.push(
    ...sentencesOf("en").filter(([key, text]) => /\banswer/i.test(text) && !cueWords.test(key))
      .map(([key, text]) => `en ${key}: ${text}`),
  );
  none(wrong, "sentences with another word");
});

Deno.test("a term is the same word in all sentences of a language", () => {
  /** @type {string[]} */
  const wrong = [];
  const english = sentencesOf("en");
  for (const code of languages.filter((one) => one !== "en")) {
    const theirs = sentencesOf(code);
    for (const [term, words] of terms) {
      const word = words[code];
      // A language is a file and a line: a new one may be added before its terms are chosen.
      if (!word) continue;
      const keys = new Set(english.filter(([, text]) => term.test(text)).map(([key]) => key));
      for (const key of keys) {
        const said = theirs.filter(([one]) => one === key).map(([, text]) => text);
        if (!said.some((text) => word.test(text))) wrong.push(`${code} ${key}, ${term.source}: ${said.join(" | ")}`);
      }
    }
  }
  none(wrong, "sentences without the word of the term");
});
