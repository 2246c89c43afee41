// @ts-check
import { files, none, read } from "./check.js";

const scripts = files("assets/js/", ".js");

/** @param {string} path */
const withoutComments = (path) => read(path).replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");

/** What a module imports, statically or when it is first wanted. @param {string} path */
const imports = (path) =>
  Array.from(
    withoutComments(path).matchAll(/(?:\bfrom |\bimport ?\(?)"(\.[^"]+)"/g),
    (match) => new URL(match[1] ?? "", `file:///${path}`).pathname.slice(1),
  );

Deno.test("no module imports itself over others, not even when it is first wanted", () => {
  /** @type {string[]} */
  const circles = [];
  /** @type {Map<string, "open" | "done">} */
  const seen = new Map();
  /** @param {string} path @param {string[]} way */
  const walk = (path, way) => {
    if (seen.get(path) === "done") return;
    if (seen.get(path) === "open") {
      circles.push([...way.slice(way.indexOf(path)), path].join(" → "));
      return;
    }
    seen.set(path, "open");
    for (const target of imports(path)) walk(target, [...way, path]);
    seen.set(path, "done");
  };
  for (const path of scripts) walk(path, []);
  none(circles, "circles");
});

/** What a folder of elements may import besides itself: folders that several pages share, and never a page's. @type {Record<string, string[]>} */
const below = {
  common: [],
  faults: ["common"],
  exports: ["common", "faults"],
  shell: ["common", "faults"],
  network: ["common", "faults", "exports"],
  // The viewer of an export is made of two pages.
  viewer: ["common", "exports", "network", "shell", "timeline"],
};

/** The layers from the lowest, each with what its modules may import. @type {[RegExp, (path: string) => boolean][]} */
const layers = [
  [/\/js\/models\//, (path) => path.includes("/js/models/")],
  [/\/js\/helpers\//, (path) => /\/js\/(models|helpers)\//.test(path)],
  [/\/js\/[^/]+$/, (path) => !path.includes("/js/elements/")],
];

/** The folder of an element. @param {string} path */
const folderOf = (path) => /\/js\/elements\/([^/]+)\//.exec(path)?.[1] ?? "";

/** Whether a module may import another one: models, helpers, the modules of every page, elements. @param {string} path @param {string} target */
function isBelow(path, target) {
  const folder = folderOf(path);
  const layer = layers.find(([place]) => place.test(path));
  if (layer) return layer[1](target);
  return !folderOf(target) || [folder, ...(below[folder] ?? ["common"])].includes(folderOf(target));
}

Deno.test("no module imports from above it, and no elements those of another page", () => {
  none(
    scripts.flatMap((path) => imports(path).filter((one) => !isBelow(path, one)).map((one) => `${path}: ${one}`)),
    "imports that run upwards",
  );
});

Deno.test("every import names a file", () => {
  none(
    scripts.flatMap((path) => imports(path).filter((one) => !scripts.includes(one)).map((one) => `${path}: ${one}`)),
    "missing files",
  );
});

Deno.test("every module that is loaded later is loaded through `once` or `lazily`, so that the next press tries again after a failure", () => {
  none(
    scripts.flatMap((path) =>
      Array.from(withoutComments(path).matchAll(/(?<!\b(?:once|lazily)\(\(\) => )\bimport\(.*/g), ([code]) => `${path}: ${code}`)
    ),
    "imports that a failure would end or repeat in silence",
  );
});
