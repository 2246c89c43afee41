// @ts-check
import { Words } from "../../Public/assets/js/helpers/i18n.js";
import { presetGroups } from "../../Public/assets/js/models/faults/fault-groups.js";
import { hasAll, placesOf, wordsOf } from "../../Public/assets/js/models/help/help-search.js";
import { drifts, fields, kinds, parts } from "../../Public/assets/js/models/network/filter-fields.js";
import { parseFilter, termsOf } from "../../Public/assets/js/models/network/filter-syntax.js";
import { phrase } from "../../Public/assets/js/models/network/filter-words.js";
import { sources } from "../../Public/assets/js/models/network/row-view.js";
import { bindings, keyCaps } from "../../Public/assets/js/models/shell/bindings.js";
import { catalogueOf, files, holds, none, page, read, same } from "./check.js";

const help = page("help.html");
const article = /<article[^]*<\/article>/.exec(help)?.[0] ?? "";
const words = new Words(catalogueOf("en"), "en");
const ids = Array.from(help.matchAll(/\sid="([^"]+)"/g), (match) => match[1] ?? "");
const sections = Array.from(article.matchAll(/<section id="([^"]+)"/g), (match) => match[1] ?? "");

/** A piece of HTML as a reader sees it. @param {string} html */
const plain = (html) =>
  html.replace(/<[^>]*>/g, "").replaceAll("&lt;", "<").replaceAll("&amp;", "&").replace(/\s+/g, " ").trim();

/** The texts of the elements of a tag. @param {string} html @param {string} tag */
const textsOf = (html, tag) =>
  Array.from(html.matchAll(new RegExp(`<${tag}(?: [^>]*)?>([^]*?)</${tag}>`, "g")), (match) => plain(match[1] ?? ""));

/** A section of the help. @param {string} id */
const section = (id) => new RegExp(`<section id="${id}"[^]*?</section>`).exec(article)?.[0] ?? "";

/** The lines of the lists of a section: what is named, and what is said of it. @param {string} id @returns {[string, string][]} */
const lines = (id) => {
  const html = section(id);
  const [names, meanings] = [textsOf(html, "dt"), textsOf(html, "dd")];
  return names.map((name, at) => [name, meanings[at] ?? ""]);
};

Deno.test("every page has its place in the help, which the header's link and F1 lead to", () => {
  const pages = files("", ".html").filter((path) => !/\/|^(404|help)\./.test(path)).map((path) => path.replace(".html", ""));
  holds(pages.length >= 11, `${pages.length} pages`);
  none(pages.filter((name) => !ids.includes(name)), "pages without a place in the help");
});

Deno.test("the contents list every section in its order, and every link of the help leads somewhere", () => {
  const contents = /<nav class="help-contents"[^]*?<\/nav>/.exec(help)?.[0] ?? "";
  same(Array.from(contents.matchAll(/href="#([^"]+)"/g), (match) => match[1]), sections);
  const titles = sections.map((id) => textsOf(section(id), "h2")[0]);
  same(textsOf(contents, "a"), titles, "a link is called like its section");
  const known = new Set([...files("", ".html").map((path) => `/${path.replace(".html", "")}`), ...ids.map((id) => `#${id}`)]);
  const links = Array.from(article.matchAll(/href="([^"]+)"/g), (match) => match[1] ?? "");
  none(links.filter((link) => !known.has(link)), "links that lead nowhere");
});

Deno.test("a filter of the help is one, says what the program says of it, and every field and value has an example", () => {
  /** @type {string[]} */
  const wrong = [];
  const named = new Map(fields.map((field) => [field, new Set()]));
  const list = lines("filters");
  for (const [filter, meaning] of list) {
    const { expression, problems } = parseFilter(filter);
    const said = phrase(expression, (key, parameters) => words.text(key, parameters), (instant) => instant, true);
    if (problems.length || said !== meaning) wrong.push(`${filter}: ${problems.map((one) => one.key).join() || said}`);
    for (const field of fields) {
      for (const { value } of termsOf(expression, field)) for (const one of value.split(",")) named.get(field)?.add(one);
    }
  }
  holds(list.length > 20, `${list.length} filters`);
  none(wrong, "filters that are none, or mean something else");
  none([...named].filter(([, values]) => !values.size).map(([field]) => field), "fields without an example");
  for (const [field, values] of Object.entries({ is: kinds, has: parts, drift: drifts, source: sources })) {
    same([...named.get(field) ?? []].toSorted(), [...values].toSorted(), field);
  }
});

Deno.test("a fault preset that the help names is one, and each group has one", () => {
  const list = textsOf(/<ul id="presets">[^]*?<\/ul>/.exec(article)?.[0] ?? "", "b");
  const groupOf = (/** @type {string} */ name) =>
    Object.keys(presetGroups).find((group) => presetGroups[group]?.some((id) => words.text(`fault.preset.${id}`) === name));
  none(list.filter((name) => !groupOf(name)), "presets that do not exist");
  same([...new Set(list.map(groupOf))].toSorted(), Object.keys(presetGroups).toSorted());
});

Deno.test("what the help prints in bold is written so on a page, and a key is one that the pages bind", () => {
  const messages = new Set(Object.values(catalogueOf("en")).filter((message) => typeof message === "string"));
  none(textsOf(article, "b").filter((text) => !messages.has(text)), "labels that no page has");
  const caps = new Set(bindings.flatMap(({ keys }) => keyCaps(keys, false).flat()).map((cap) => cap.toLowerCase()));
  none(textsOf(article, "kbd").filter((cap) => !caps.has(cap.toLowerCase())), "keys that nothing listens for");
});

Deno.test("a picture is there for both themes, described alike, loaded when it comes into view, and has its size", () => {
  const pictures = Array.from(
    article.matchAll(/<img class="help-(light|dark)" src="\/assets\/pictures\/([\w-]+)-(light|dark)\.webp" width="720" height="450" loading="lazy"\s+alt="([^"]+)">/g),
    ([, shown, name, theme, alt]) => ({ shown, name, theme, alt }),
  );
  same(pictures.length, (article.match(/<img /g) ?? []).length, "pictures that are written otherwise");
  none(pictures.filter(({ shown, theme }) => shown !== theme).map(({ name }) => name ?? ""), "pictures of another theme");
  same(pictures.filter((_, at) => at % 2).map(({ name, alt }) => [name, alt]), pictures.filter((_, at) => at % 2 === 0).map(({ name, alt }) => [name, alt]));
  const kept = files("assets/pictures/", ".webp");
  same(kept, pictures.map(({ name, theme }) => `assets/pictures/${name}-${theme}.webp`).toSorted(), "pictures that the help does not show");
  const sizes = kept.map((path) => Deno.statSync(new URL(`../../Public/${path}`, import.meta.url)).size);
  holds(Math.max(...sizes) <= 40_000, `a picture of ${Math.max(...sizes)} bytes`);
  holds(read("assets/css/components/help.css").includes(".help-dark { display: none; }"), "the picture of the other theme is hidden");
});

Deno.test("a section is found by words in any order, in part and without marks, and each is marked where it stands", () => {
  same(wordsOf("  Fault RULE fault "), ["fault", "rule"]);
  holds(hasAll("Rules of faults", wordsOf("fault rule")), "parts in another order");
  holds(!hasAll("Rules", wordsOf("fault rule")), "all words are needed");
  holds(hasAll("anything", wordsOf(" ")), "nothing is searched for");
  same(placesOf("Réseau: a réseau", wordsOf("reseau")), [[0, 6], [10, 16]]);
  same(placesOf("aaa", ["aa"]), [[0, 2]]);
  same(placesOf("ﬁle", ["x"]), []);
});
