// @ts-check
import { JSONSource, looksLikeJSON, partSize, readable } from "../../Public/assets/js/models/network/json-source.js";
import { holds, same } from "./check.js";
import { oneOf, randomNumbers } from "./rows.js";

/** @typedef {import("../../Public/assets/js/models/network/json-source.js").TreeNode} TreeNode */

/** The values below a node, its parts opened. @param {JSONSource} source @param {TreeNode} node @returns {import("../../Public/assets/js/models/network/json-source.js").ValueNode[]} */
const values = (source, node) =>
  source.children(node).flatMap((child) => ("of" in child ? values(source, child) : [child]));

/** The value of a node, built from its children alone. @param {JSONSource} source @param {import("../../Public/assets/js/models/network/json-source.js").ValueNode} node @returns {unknown} */
function built(source, node) {
  const kind = source.kind(node);
  if (kind === "array") return values(source, node).map((child) => built(source, child));
  if (kind === "object") {
    return Object.fromEntries(values(source, node).map((child) => [child.name, built(source, child)]));
  }
  return kind === "string" ? source.string(node.at) : JSON.parse(source.written(node));
}

// No member is named by one backslash: V8's own `JSON.parse` then takes a later name `\\"` for it.
/** @param {() => number} random @param {number} depth @returns {unknown} */
function randomValue(random, depth) {
  const kind = Math.floor(random() * (depth > 0 ? 6 : 4));
  if (kind === 0) return oneOf(random, [0, -1.5, 1e21, 12, null, true, false]);
  if (kind < 4) return oneOf(random, ["", "a", '"', "\\", "a:b", "{[,]}", "\u2028é", "~/", 'x\\"', " "]);
  const length = Math.floor(random() * 5);
  if (kind === 4) return Array.from({ length }, () => randomValue(random, depth - 1));
  return Object.fromEntries(
    Array.from({ length }, () => [oneOf(random, ["a", "a:b", "", '"', "c/d", "e~f"]), randomValue(random, depth - 1)]),
  );
}

Deno.test("any JSON text has the tree that its value has, however it is spaced", () => {
  const random = randomNumbers(23);
  for (let round = 0; round < 3000; round += 1) {
    const value = { outer: randomValue(random, 4) };
    const text = JSON.stringify(value, null, oneOf(random, [0, 1, "\t", "\r\n "].slice(0, 3)));
    const source = new JSONSource(oneOf(random, ["", " ", "\n"]) + text);
    same(built(source, source.root), value, text);
    same(JSON.parse(source.pretty(source.root)), value, text);
    holds(looksLikeJSON(text), text);
  }
});

Deno.test("numbers are shown as they were written, names with slashes have escaped pointers", () => {
  const text = '{"id":12345678901234567890,"ratio":1.10,"e":1E400,"minus":-0,"s":"7","list":[1,[2]],"a/b~c":null}';
  const source = new JSONSource(text);
  const children = values(source, source.root);
  same(children.map((node) => node.pointer), ["/id", "/ratio", "/e", "/minus", "/s", "/list", "/a~1b~0c"]);
  same(children.slice(0, 4).map((node) => source.written(node)), ["12345678901234567890", "1.10", "1E400", "-0"]);
  const written = source.pretty(source.root);
  for (const number of ["12345678901234567890", "1.10", "1E400", "-0"]) holds(written.includes(`: ${number}`), number);
});

Deno.test("a name that comes twice is shown twice", () => {
  const source = new JSONSource('{"a":1,"a":2}');
  same(values(source, source.root).map((node) => source.written(node)), ["1", "2"]);
});

Deno.test("a large array is opened in parts of a hundred, and parts of parts", () => {
  for (const count of [100, 101, 250, 10_000, 10_001, 123_456]) {
    const source = new JSONSource(JSON.stringify({ many: Array.from({ length: count }, (_, index) => index) }));
    const [many] = values(source, source.root);
    if (!many) throw new Error("no array");
    /** @param {TreeNode} node */
    const widest = (node) => {
      const children = source.children(node);
      holds(children.length <= partSize, `${children.length} at once of ${count}`);
      for (const child of children) if ("of" in child) widest(child);
    };
    widest(many);
    const all = values(source, many);
    same([source.count(many), all.length, all[count - 1]?.pointer], [count, count, `/many/${count - 1}`]);
    same(source.written(/** @type {any} */ (all[count - 1])), String(count - 1));
  }
});

Deno.test("text that is found in a tree leads to the value or name that holds it", () => {
  const source = new JSONSource(
    JSON.stringify({
      first: { "needle key": [1, "a Needle"] },
      "x": Array.from({ length: 300 }, (_, n) => ({ n, s: n === 257 ? "needle" : "hay" })),
    }),
  );
  const places = source.find("needle");
  same(places.length, 3);
  same(places.map((place) => source.pathTo(place).at(-1)?.pointer), [
    "/first/needle key",
    "/first/needle key/1",
    "/x/257/s",
  ]);
  same(source.find("").length, 0);
  same(source.find('.*[("').length, 0, "a text, not a pattern");
});

Deno.test("what is no JSON is told apart, also where it is large", () => {
  for (const text of ["", "plain", "{", "[1,2", '{"a":"b', "12", "null", '{"a":1}}']) holds(!looksLikeJSON(text), text);
  const large = JSON.stringify(Array.from({ length: 60_000 }, () => "abc"));
  holds(large.length > 262_144 && looksLikeJSON(large), "large JSON");
  for (const text of [large.slice(0, -1), `${large}]`, `x${large}`]) holds(!looksLikeJSON(text), text.slice(0, 10));
});

Deno.test("ten megabytes open without being read as a whole more than once", () => {
  const item = JSON.stringify({
    id: 1234567890123456,
    name: "somebody",
    tags: ["a", "b"],
    nested: { deep: [1, 2, 3] },
  });
  const text = `{"data":[${Array.from({ length: Math.ceil(10_000_000 / item.length) }, () => item).join(",")}]}`;
  const begin = performance.now();
  holds(looksLikeJSON(text), "JSON");
  const source = new JSONSource(text);
  const [data] = values(source, source.root);
  const took = performance.now() - begin;
  holds(data && source.count(data) > 90_000, "all items");
  holds(took < 2000, `took ${took.toFixed(0)} ms`);
});

Deno.test("escaped characters are read and found, those that only an escape shows stay escaped", () => {
  const text = String.raw`{"\u05e9":"\u05DC\ud83d\ude00 a\/b \u003c\u0026 \u200d","keep":"\u0022 \u005c \u0007 \ud83d \u202e \\u05e9 \n"}`;
  const shown = readable(text);
  same(shown, String.raw`{"ש":"ל😀 a/b <& ${"\u200d"}","keep":"\u0022 \u005c \u0007 \ud83d \u202e \\u05e9 \n"}`);
  same(JSON.parse(shown), JSON.parse(text));
  same(new JSONSource(shown).find("ל😀 a/b").length, 1);
});
