// @ts-check
import { chooseTerm, hasTerm, termFor, toggleTerm, withBetween, withoutTerm } from "../../Public/assets/js/models/network/filter-edit.js";
import { parseFilter } from "../../Public/assets/js/models/network/filter-syntax.js";
import { mostFilters, readFilters, withFilter } from "../../Public/assets/js/models/network/saved-filters.js";
import { same } from "./check.js";

Deno.test("a term is added to what is there and taken away again", () => {
  same(toggleTerm("", "is:failed"), "is:failed");
  same(toggleTerm("path:/rpc/me", "is:failed"), "path:/rpc/me is:failed");
  same(toggleTerm("is:failed path:/rpc/me", "is:failed"), "path:/rpc/me");
  same(toggleTerm("path:/rpc/me -is:cached", "-is:cached"), "path:/rpc/me");
  same(toggleTerm("IS:Failed", "is:failed"), "");
});

Deno.test("alternatives keep together if a term is demanded besides", () => {
  same(toggleTerm("a | b", "is:failed"), "(a | b) is:failed");
  same(hasTerm("(a | b) is:failed", "is:failed"), true);
  same(toggleTerm("(a | b) is:failed", "is:failed"), "(a | b)");
});

Deno.test("a term inside an alternative or with another meaning is not the term", () => {
  same(hasTerm("is:failed | is:pinned", "is:failed"), false);
  same(hasTerm("-is:failed", "is:failed"), false);
  same(hasTerm('"is:failed"', "is:failed"), false);
  same(withoutTerm("-is:failed", "is:failed"), "-is:failed");
});

Deno.test("a term counts beside what is wrong, and what was typed stays", () => {
  const wrong = ['"abc', "(a", "a |", "a | (b", 'a | b | "c', "statu:4", "a)", "()", 'path:"x', '"a  b'];
  for (const text of wrong) {
    const added = toggleTerm(text, "is:failed");
    same([hasTerm(added, "is:failed"), added.includes(text)], [true, true], added);
    if (!text.includes("|")) same(toggleTerm(added, "is:failed"), text, added);
  }
});

Deno.test("a span of time replaces another and leaves the rest as it was typed", () => {
  const [one, other] = ["between:2026-01-31T09:00:00Z..2026-01-31T09:05:00Z", "between:2026-01-31T10:00:00Z..2026-01-31T10:05:00Z"];
  same(withBetween("", one), one);
  same(withBetween(`"a  b" ${one} c`, other), `"a  b" c ${other}`);
  same(withBetween(`a ${one}`, ""), "a");
  same(withBetween("a | b", one), `(a | b) ${one}`);
  same(withBetween('"a  b', one), `${one} "a  b`);
  same(withBetween("is:failed between:x..y method:GET", one), `is:failed method:GET ${one}`);
  same(withBetween(`a ${one} | b`, other), `(a | b) ${other}`);
});

Deno.test("a span of time leaves no bar and no parentheses without an alternative", () => {
  const span = "between:2026-01-31T09:00:00Z..2026-01-31T09:05:00Z";
  for (
    const [text, rest] of [
      [`${span} | a`, "a"],
      [`a | ${span}`, "a"],
      [`a|${span}`, "a"],
      [`a | ${span} | b`, "a | b"],
      [`(a | ${span}) c`, "(a) c"],
      [`(${span}) a`, "a"],
      [`-((${span})) | a`, "a"],
      [`(a ${span}) | b`, "(a) | b"],
      [`${span} | ${span}`, ""],
      [`a "| " | ${span}`, 'a "| "'],
      [`-${span} | a`, `-${span} | a`],
    ]
  ) {
    same(withBetween(text ?? "", ""), rest, text);
    same(parseFilter(withBetween(text ?? "", "between:10s..5s")).problems.filter(({ key }) => key !== "filter.bad_value"), [], text);
  }
});

Deno.test("a term replaces its opposite", () => {
  same(chooseTerm("-method:GET status:4xx", "method:GET"), "status:4xx method:GET");
  same(chooseTerm("method:GET", "-method:GET"), "-method:GET");
  same(termFor("flow", "sign in"), 'flow:"sign in"');
});

Deno.test("kept filters survive a damaged store and stay few", () => {
  same(readFilters(null), []);
  same(readFilters("{"), []);
  same(readFilters('{"a":1}'), []);
  same(readFilters('[{"name":"Mine","text":"a"},{"name":1,"text":"b"},{"name":"","text":"c"},null]'), [
    { name: "Mine", text: "a" },
  ]);
  same(withFilter([{ name: "A", text: "1" }, { name: "B", text: "2" }], { name: "A", text: "3" }), [
    { name: "B", text: "2" },
    { name: "A", text: "3" },
  ]);
  const many = Array.from({ length: mostFilters }, (_, index) => ({ name: `F${index}`, text: "x" }));
  const list = withFilter(many, { name: "New", text: "y" });
  same([list.length, list[0]?.name, list.at(-1)?.name], [mostFilters, "F1", "New"]);
});
