// @ts-check
// The assertions of these tests: nothing is loaded from elsewhere.

/** Fails unless both are the same value, compared as JSON. @param {unknown} actual @param {unknown} expected @param {string} [what] */
export function same(actual, expected, what = "") {
  const [left, right] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (left !== right) throw new Error(`${what}\n  is       ${left}\n  expected ${right}`);
}

/** Fails unless the condition holds. @param {unknown} condition @param {string} what */
export function holds(condition, what) {
  if (!condition) throw new Error(what);
}

/** Fails with every line listed, unless there is none. @param {string[]} lines @param {string} what */
export function none(lines, what) {
  if (lines.length) throw new Error(`${what}:\n  ${lines.join("\n  ")}`);
}

/** The folder of the pages. */
export const publicFolder = new URL("../../Public/", import.meta.url);

/** The files below a folder of `Public/` whose names end like this, sorted. @param {string} folder @param {string} ending @returns {string[]} */
export function files(folder, ending) {
  /** @type {string[]} */
  const found = [];
  for (const entry of Deno.readDirSync(new URL(folder, publicFolder))) {
    if (entry.isDirectory) found.push(...files(`${folder}${entry.name}/`, ending));
    else if (entry.name.endsWith(ending)) found.push(folder + entry.name);
  }
  return found.toSorted();
}

/** The text of a file of `Public/`. @param {string} path */
export const read = (path) => Deno.readTextFileSync(new URL(path, publicFolder));

/** A page with its parts, as the server makes it. @param {string} path */
export const page = (path) =>
  read(path).replace("<!-- session -->", "").replace(
    /<!-- include (\S+)(.*?) -->/g,
    (_, part, values) =>
      read(`parts/${part}`).trimEnd().replace(/ ?\{\{(.*?) if (.*?)\}\}/g, (_whole, text, value) =>
        values.split(" ").includes(value) ? ` ${text}` : ""),
  );

/** The codes of the languages that have words of their own. */
export const languages = (/name="languages" content="([^"]+)"/.exec(read("parts/head.html"))?.[1] ?? "").split(" ")
  .flatMap((one) => one.split("=", 1)).filter((code) => !code.includes("-X"));

/** @typedef {import("../../Public/assets/js/helpers/i18n.js").Catalogue} Catalogue */
/** The words of a language by section. @param {string} language @returns {Record<string, Catalogue>} */
export function sectionsOf(language) {
  const { same_as_english: _, ...sections } = JSON.parse(read(`assets/locales/${language}.json`));
  return sections;
}

/** All messages of a language. @param {string} language @returns {Catalogue} */
export const catalogueOf = (language) => Object.assign({}, ...Object.values(sectionsOf(language)));
