// @ts-check
import { rowDifferences } from "../../Public/assets/js/models/network/row-diff.js";
import { blockingRule, termsOfRow } from "../../Public/assets/js/models/network/row-menu.js";
import { parseFilter } from "../../Public/assets/js/models/network/filter-syntax.js";
import { same } from "./check.js";
import { row } from "./rows.js";

/** @typedef {import("../../Public/assets/js/models/network/row-diff.js").ComparedRow} ComparedRow */

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
  const rule = blockingRule(row(1, { path: "/rpc/me", method: "GET" }), "x".repeat(200));
  same([rule.match, rule.action, rule.name.length], [{ method: "GET", path: "/rpc/me" }, { kind: "offline" }, 80]);
});

/** @param {Partial<ComparedRow>} parts @returns {ComparedRow} */
const whole = (parts) => ({ ...row(1), url: "https://a.test/rpc/me", request: { headers: [] }, ...parts });

Deno.test("rows are compared by call, headers and the members of their bodies", () => {
  const one = whole({
    status: 200,
    request: { headers: [["Accept", "*/*"], ["Date", "now"]] },
    response: { headers: [["ETag", "1"]], body: '{"user":{"name":"Ann","id":1},"list":[1,2]}' },
  });
  const other = whole({
    status: 500,
    request: { headers: [["accept", "*/*"], ["X-Extra", "1"], ["Date", "later"]] },
    response: { headers: [["etag", "1"]], body: '{"user":{"name":"Bob","id":1},"list":[1]}' },
  });
  same(rowDifferences(one, other), [
    { part: "call", name: "status", one: "200", other: "500" },
    { part: "request", name: "x-extra", one: null, other: "1" },
    { part: "response", name: "/user/name", one: '"Ann"', other: '"Bob"' },
    { part: "response", name: "/list/1", one: "2", other: null },
  ]);
  same(rowDifferences(one, one), []);
});

Deno.test("a body that is no JSON is compared as a whole, and a missing response is missing", () => {
  const one = whole({ response: { headers: [], body: "<p>" } });
  same(rowDifferences(one, whole({})), [{ part: "response", name: "/", one: "<p>", other: null }]);
});
