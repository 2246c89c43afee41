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

Deno.test("every import names a file", () => {
  none(
    scripts.flatMap((path) => imports(path).filter((one) => !scripts.includes(one)).map((one) => `${path}: ${one}`)),
    "missing files",
  );
});

Deno.test("every module that is loaded later is loaded through `once`, so that the next press tries again after a failure", () => {
  none(
    scripts.flatMap((path) =>
      Array.from(withoutComments(path).matchAll(/(?<!\bonce\(\(\) => )\bimport\(.*/g), ([code]) => `${path}: ${code}`)
    ),
    "imports that a failure would end or repeat in silence",
  );
});
