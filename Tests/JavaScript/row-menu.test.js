// @ts-check
import { blockingRule, termsOfRow } from "../../Public/assets/js/models/network/row-menu.js";
import { parseFilter } from "../../Public/assets/js/models/network/filter-syntax.js";
import { same } from "./check.js";
import { row } from "./rows.js";

Deno.test("a row's terms are those that it differs by, and each is a valid filter", () => {
  const one = row(1, { path: "/cues/7 b", endpoint: "/cues/{id}", method: "PUT", flow: "Move a cue", status: 409 });
  same(termsOfRow(one).map(({ term }) => term), [
    'path:"/cues/7 b"',
    "endpoint:/cues/{id}",
    "method:PUT",
    "status:409",
    'flow:"Move a cue"',
  ]);
  const failed = row(2, { path: "/rpc/me", endpoint: "me", status: undefined, state: "failure", error: "offline" });
  same(termsOfRow(failed).map(({ term }) => term).includes("error:offline"), true);
  for (const { term } of [...termsOfRow(one), ...termsOfRow(failed)]) {
    same([parseFilter(term).problems, parseFilter(`-${term}`).problems], [[], []], term);
  }
});

Deno.test("a blocked call is one method on one path", () => {
  const rule = blockingRule(row(1, { path: "/rpc/me", method: "GET" }), "\u2068GET\u2069 " + "x".repeat(200));
  same([rule.match, rule.action, rule.name], [{ method: "GET", path: "/rpc/me" }, { kind: "offline" }, `GET ${"x".repeat(56)}`]);
});
