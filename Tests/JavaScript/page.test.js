// @ts-check
import { catalogueOf, files, holds, none, page as composed, publicFolder, read, same, sectionsOf } from "./check.js";

const pages = files("", ".html").filter((path) => !path.includes("/"));
/** The pages, and the one that an export is shown in. */
const everyPage = [...pages, "parts/viewer.html"];
const styles = files("assets/css/", ".css");
const scripts = files("assets/js/", ".js");
/** @type {Record<string, unknown>} */
const catalogue = catalogueOf("en");

/**
 * The tags and texts of a page, as this project writes HTML: attributes in double quotes, no `<` in them.
 * @param {string} html
 */
function* tokens(html) {
  for (
    const match of html.matchAll(/<(\/?)([a-z0-9-]+)((?:\s+[a-z0-9-]+(?:="[^"]*")?)*)\s*\/?>|<!doctype html>|([^<]+)/gi)
  ) {
    const attributes = new Map(
      Array.from((match[3] ?? "").matchAll(/([a-z0-9-]+)(?:="([^"]*)")?/gi), (one) => [one[1] ?? "", one[2] ?? ""]),
    );
    yield { isEnd: match[1] === "/", tag: match[2]?.toLowerCase(), attributes, text: match[4] };
  }
}

/** A text as a browser shows it. @param {string} text */
const shown = (text) => plain(text).replace(/\s+/g, " ");

/** @param {string} text */
const plain = (text) => text.replaceAll("&lt;", "<").replaceAll("&amp;", "&").trim();

Deno.test("every page has what a page must have", () => {
  holds(pages.length >= 10, `only ${pages.length} pages`);
  for (const page of pages) {
    const html = composed(page);
    for (
      const part of [
        "<!doctype html>",
        '<html lang="en" dir="ltr"',
        "<noscript>",
        '<main id="main"',
        'class="skip"',
        'name="viewport"',
        'role="status"',
      ]
    ) {
      holds(html.includes(part), `${page} lacks ${part}`);
    }
  }
});

Deno.test("every visible text of a page, and every label, is the catalogue's", () => {
  /** @type {string[]} */
  const wrong = [];
  for (const page of everyPage) {
    let key = "";
    let suffix = "";
    // What names its language is in that language on every page: the tags that are open in it.
    /** @type {string[]} */
    let foreign = [];
    for (const { isEnd, tag, attributes, text } of tokens(composed(page))) {
      if (foreign.length) {
        if (tag && isEnd) foreign = foreign.slice(0, foreign.lastIndexOf(tag));
        else if (tag && tag !== "img") foreign.push(tag);
      } else if (tag && !isEnd && tag !== "html" && attributes.has("lang")) foreign.push(tag);
      else if (tag) {
        key = isEnd ? "" : attributes.get("data-i18n") ?? "";
        suffix = tag === "title" ? ` · ${catalogue["shell.product"]}` : "";
        const translated = new Map(
          (attributes.get("data-i18n-attr") ?? "").split(";").map((
            pair,
          ) => /** @type {[string, string]} */ (pair.split(":"))),
        );
        for (const name of ["aria-label", "placeholder", "title", "alt"]) {
          const value = attributes.get(name);
          if (value && plain(value) !== catalogue[translated.get(name) ?? ""]) {
            wrong.push(`${page}: ${name}="${value}"`);
          }
        }
      } else if (text && shown(text) && !/^[–×]$/.test(shown(text)) && shown(text) !== catalogue[key] + suffix) {
        wrong.push(`${page}: ${shown(text)} (${key})`);
      }
    }
  }
  none(wrong, "texts that bypass the catalogue or differ from it");
});

Deno.test("every key that is used exists, and every key that exists is used", () => {
  const source = [...everyPage.map(composed), ...scripts.map(read)].join("\n");
  const used = new Set(
    Array.from(source.matchAll(/["'`:;]([a-z0-9]+(?:\.[a-z0-9_]+)+)["'`;]/gi), (match) => match[1] ?? ""),
  );
  const wanted = Array.from(
    source.matchAll(/\bt\("([^"]+)"|data-i18n="([^"]+)"/g),
    (match) => match[1] ?? match[2] ?? "",
  );
  none(wanted.filter((key) => !Object.hasOwn(catalogue, key)), "keys that do not exist");
  const computed =
    /^(error|reason|say|cause|about|note|network\.col|redaction|histogram|connection|theme|language|row|timing|session|inbox\.(kind|mark|note)|login\.sent|connect\.(outcome|certificate)|offer\.(field|sent)|time|unit|command|palette\.group|cues\.stage|deletion|devices\.role|team\.(role|access)|limits\.mode|shell\.last_call|timeline\.(kind|state|token|method|category|event|fault|lane)|fault|drift\.(where|none)|explain|compare\.(kind|mask|masked)|comparison\.kind)\./;
  none(Object.keys(catalogue).filter((key) => !used.has(key) && !computed.test(key)), "keys that are not used");
});

Deno.test("a page loads nothing from elsewhere, and has no inline script, style or handler", () => {
  /** @type {string[]} */
  const wrong = [];
  for (const page of everyPage) {
    const html = composed(page);
    const ids = Array.from(html.matchAll(/\sid="([^"]+)"/g), (match) => match[1] ?? "");
    wrong.push(...ids.filter((id, at) => ids.indexOf(id) !== at).map((id) => `${page}: id ${id} twice`));
    for (const match of html.matchAll(/\s(?:for|aria-controls|aria-labelledby|aria-describedby)="([^"]+)"/g)) {
      for (const id of (match[1] ?? "").split(" ")) if (!ids.includes(id)) wrong.push(`${page}: no element ${id}`);
    }
    for (const { tag, isEnd, attributes } of tokens(html)) {
      if (!tag || isEnd) continue;
      if (tag === "style" || (tag === "script" && !attributes.get("src"))) wrong.push(`${page}: inline ${tag}`);
      for (const [name, value] of attributes) {
        if (name === "style" || name.startsWith("on")) wrong.push(`${page}: ${name}`);
        if ((name === "src" || name === "href") && !/^[/#](?!\/)/.test(value)) wrong.push(`${page}: ${value}`);
        if ((name === "src" || name === "href") && value.startsWith("/assets/")) {
          const path = value.slice(1).split("#")[0] ?? "";
          if (
            ![...styles, ...scripts, ...files("assets/icons/", ".svg"), ...files("assets/pictures/", ".webp"), ...files("assets/locales/", ".json")].includes(
              path,
            )
          ) wrong.push(`${page}: no file ${value}`);
        }
      }
    }
  }
  none(wrong, "what a page may not have");
});

Deno.test("every page takes its head and header from the parts, and marks itself in the navigation", () => {
  for (const page of pages) {
    const html = read(page);
    holds(html.includes("<!-- include head.html -->"), `${page} has a head of its own`);
    holds(/<!-- include header\.html( page=[a-z]+)? -->/.test(html), `${page} has a header of its own`);
    const name = page.replace(".html", "");
    const links = Array.from(composed(page).matchAll(/<a href="\/([a-z]+)" aria-current="page"/g), (match) => match[1]);
    same(links, read("parts/header.html").includes(`page=${name}}}`) ? [name] : [], page);
  }
});

Deno.test("a page preloads exactly the modules that its scripts import", () => {
  for (const page of pages) {
    const html = composed(page);
    const entries = Array.from(html.matchAll(/<script type="module"(?: async)? src="([^"]+)"/g), (match) => match[1] ?? "");
    const listed = Array.from(html.matchAll(/<link rel="modulepreload" href="([^"]+)"/g), (match) => match[1] ?? "");
    const graph = new Set(entries.flatMap(moduleGraph));
    same(listed.toSorted(), [...graph].filter((path) => !entries.includes(path)).toSorted(), page);
  }
});

/** @type {Map<string, string[]>} */
const graphs = new Map();

/** @param {string} entry @returns {string[]} */
function moduleGraph(entry) {
  const known = graphs.get(entry);
  if (known) return known;
  const file = new URL(entry.slice(1), publicFolder);
  const { stdout } = new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", "--no-remote", "--no-npm", file.pathname],
  }).outputSync();
  /** @type {{modules: {specifier: string, dependencies?: {isDynamic?: boolean, code?: {specifier: string}}[]}[]}} */
  const info = JSON.parse(new TextDecoder().decode(stdout));
  const modules = new Map(info.modules.map((one) => [one.specifier, one]));
  const seen = new Set([file.href]);
  // What is imported when it is first wanted is no part of the page's weight.
  for (const specifier of seen) {
    for (const one of modules.get(specifier)?.dependencies ?? []) {
      if (one.code && !one.isDynamic) seen.add(one.code.specifier);
    }
  }
  const paths = [...seen].map((one) => `/${one.slice(publicFolder.href.length)}`);
  graphs.set(entry, paths);
  return paths;
}

/** What entry modules import, at once or when it is first wanted. @param {string[]} entries */
function reachable(entries) {
  const seen = new Set(entries.map((entry) => entry.slice(1)));
  for (const path of seen) {
    for (const [, target = ""] of withoutComments(path).matchAll(/(?:\bfrom |\bimport ?\(?)"(\.[^"]+)"/g)) {
      seen.add(new URL(target, `file:///${path}`).pathname.slice(1));
    }
  }
  return [...seen];
}

/** A module without its comments. @param {string} path */
const withoutComments = (path) => read(path).replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");

/** The names in a list of texts. @param {string} list */
const names = (list) => Array.from(list.matchAll(/[\w-]+/g), ([name]) => name);

Deno.test("the elements of a page name no message of a section that the page never loads", () => {
  /** @type {string[]} */
  const wrong = [];
  const sectionOf = new Map(
    Object.entries(sectionsOf("en")).flatMap(([name, messages]) => Object.keys(messages).map((key) => [key, name])),
  );
  for (const page of pages) {
    const html = composed(page);
    const entries = Array.from(html.matchAll(/<script type="module"(?: async)? src="([^"]+)"/g), (match) => match[1] ?? "");
    const paths = reachable(entries);
    const loaded = new Set(["common", ...names(/data-words="([^"]+)"/.exec(html)?.[1] ?? "")]);
    for (const path of paths) {
      for (const [, one, several] of withoutComments(path).matchAll(/loadWords\("([^)]+)"\)|\[([^[\]]+)\]\.map\(loadWords\)/g)) {
        for (const name of names(one ?? several ?? "")) loaded.add(name);
      }
    }
    // Models are shared with pages that have the words.
    for (const path of paths.filter((one) => one.includes("/elements/"))) {
      for (const [, key = ""] of withoutComments(path).matchAll(/"([a-z_]+(?:\.[a-z_0-9]+)+)"/g)) {
        const section = sectionOf.get(key);
        if (section && !loaded.has(section)) wrong.push(`${page}: ${path} names ${key} of ${section}`);
      }
    }
  }
  none(wrong, "messages of sections that are not loaded");
});

Deno.test("models know no DOM, and only api.js fetches", () => {
  /** @type {string[]} */
  const wrong = [];
  for (const path of scripts) {
    const code = read(path).replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");
    if (
      path.includes("/models/") && /\b(document|window|localStorage|sessionStorage|fetch|location)\b[.(]/.test(code)
    ) wrong.push(`${path}: DOM`);
    if (path.includes("/models/") && /from "\.\.\/\.\.\//.test(code)) {
      wrong.push(`${path}: imports from outside the models`);
    }
    // `fetch` does not tell how much of a file was sent.
    const isOutside = /EventSource\(|sendBeacon/.test(code) || (!path.endsWith("/js/api.js") && /\bfetch\(/.test(code));
    if (isOutside || (!path.endsWith("/js/upload.js") && code.includes("XMLHttpRequest"))) wrong.push(`${path}: fetches`);
    if (
      /\.(inner|outer)HTML\b|insertAdjacentHTML|document\.write|setHTMLUnsafe|DOMParser|\beval\(|new Function|srcdoc/
        .test(code)
    ) wrong.push(`${path}: markup from text`);
    if (/\.style\.cssText|setAttribute\("style"|["']javascript:/.test(code)) {
      wrong.push(`${path}: refused by the policy`);
    }
  }
  none(wrong, "what a script may not do");
});
