// @ts-check
import { areComparable, maskNotes } from "../../Public/assets/js/models/network/mask-diff.js";
import { jsonSteps, parsed } from "../../Public/assets/js/models/network/json-diff.js";
import { comparedPhases } from "../../Public/assets/js/models/network/phases.js";
import { rowDifferences } from "../../Public/assets/js/models/network/row-diff.js";
import { holds, same } from "./check.js";
import { row } from "./rows.js";

/** @typedef {import("../../Public/assets/js/models/network/row-diff.js").ComparedRow} ComparedRow */

/** @param {Partial<ComparedRow>} parts @returns {ComparedRow} */
const whole = (parts) => ({ ...row(1), url: "https://a.test/rpc/me", request: { headers: [] }, ...parts });

/** The steps between two JSON texts, as `kind pointer one other`. @param {string} one @param {string} other @param {boolean} [listsSame] */
const steps = (one, other, listsSame) =>
  jsonSteps(parsed(one), parsed(other), listsSame).map((step) =>
    [step.kind, step.pointer ?? "-", step.otherPointer ?? "-", step.one ?? "-", step.other ?? "-"].join(" ")
  );

Deno.test("rows are compared by call, query, headers and the members of their bodies", () => {
  const one = whole({
    url: "https://a.test/rpc/me?page=1&q=x",
    status: 200,
    request: { headers: [["Accept", "*/*"], ["Date", "now"]] },
    response: { headers: [["ETag", "1"]], body: '{"user":{"name":"Ann","id":1},"list":[1,2]}' },
  });
  const other = whole({
    url: "https://a.test/rpc/me?page=2&q=x",
    status: 500,
    request: { headers: [["accept", "*/*"], ["X-Extra", "1"], ["Date", "later"]] },
    response: { headers: [["etag", "1"]], body: '{"list":[1],"user":{"id":1,"name":"Bob"}}' },
  });
  same(rowDifferences(one, other), [
    { part: "call", name: "status", kind: "changed", one: "200", other: "500" },
    { part: "query", name: "page", kind: "changed", one: "1", other: "2" },
    { part: "request", name: "x-extra", kind: "added", one: null, other: "1" },
    { part: "response_body", name: "/user/name", kind: "changed", one: '"Ann"', other: '"Bob"' },
    { part: "response_body", name: "/list/1", kind: "removed", one: "2", other: null },
  ]);
  same(rowDifferences(one, one), []);
  const all = rowDifferences(one, one, true);
  holds(all.every(({ kind }) => kind === "same"), "what is equal is told apart");
  same(all.map(({ name }) => name), [
    "method",
    "url",
    "status",
    "source",
    "page",
    "q",
    "accept",
    "etag",
    "/user/name",
    "/user/id",
    "/list/0",
    "/list/1",
  ]);
});

Deno.test("a body that is no JSON is compared as a whole, and a missing response is missing", () => {
  const one = whole({ response: { headers: [], body: "<p>" } });
  same(rowDifferences(one, whole({})), [{ part: "response_body", name: "/", kind: "removed", one: "<p>", other: null }]);
});

Deno.test("names in another order are no difference, and numbers are compared as they are written", () => {
  same(steps('{"a":1,"b":{"c":2,"d":3}}', '{"b":{"d":3,"c":2},"a":1}'), []);
  same(steps('{"id":9007199254740993}', '{"id":9007199254740992}'), ["changed /id /id 9007199254740993 9007199254740992"]);
  same(steps('{"a/b":1}', '{"a/b":2}'), ["changed /a~1b /a~1b 1 2"]);
  same(steps('{"a":1}', "[1]"), ['changed   {"a":1} [1]']);
});

Deno.test("an element that is put in or taken out does not change the others", () => {
  same(steps("[1,2,3,4]", "[0,1,2,3,4]"), ["added - /0 - 0"]);
  same(steps("[1,2,3,4]", "[1,3,4]"), ["removed /1 - 2 -"]);
  same(steps('[{"id":1,"n":"a"},{"id":2,"n":"b"}]', '[{"id":2,"n":"c"}]'), [
    'removed /0 - {"id":1,"n":"a"} -',
    'changed /1/n /0/n "b" "c"',
  ]);
});

Deno.test("an element at another place has moved, and one with the same id is the same one", () => {
  same(steps("[1,2,3]", "[3,1,2]"), ["moved /2 /0 3 3"]);
  same(steps('[1,{"a":1,"b":2},3]', '[{"b":2,"a":1},1,3]').map((step) => step.split(" ")[0]), ["moved"]);
  same(steps('[{"id":"a","n":1},{"id":"b","n":1},{"id":"c","n":1}]', '[{"id":"c","n":2},{"id":"a","n":1},{"id":"b","n":1}]'), [
    'moved /2 /0 {"id":"c","n":1} {"id":"c","n":2}',
    "changed /2/n /0/n 1 2",
  ]);
});

Deno.test("long arrays are compared by their places, and no more is listed than can be read", () => {
  const numbers = Array.from({ length: 60_000 }, (_, at) => at);
  const found = steps(JSON.stringify(numbers), JSON.stringify(numbers.map((value) => value + 100_000)));
  same([found.length, found[0]], [5000, "changed /0 /0 0 100000"]);
});

Deno.test("what is behind masks is told by their tags", () => {
  same(maskNotes("Bearer ‹token:00000001›", "Bearer ‹token:00000002›"), [{ what: "token", is: "another" }]);
  same(maskNotes('"‹email:00000001›"', '"‹email:00000001›"'), [{ what: "email", is: "same" }]);
  same(maskNotes("‹token:00000001›", "‹email:00000001›"), []);
  same(maskNotes("‹new:00000001›", "‹new:00000002›"), [{ what: "value", is: "another" }]);
  same(maskNotes("plain", "text"), []);
  const one = whole({ request: { headers: [["authorization", "Bearer ‹token:00000001›"]] } });
  const other = whole({ request: { headers: [["authorization", "Bearer ‹token:00000002›"]] } });
  same(rowDifferences(one, other)[0]?.notes, [{ what: "token", is: "another" }]);
  same(areComparable("‹token:00000001› ‹email:0000000a›", "‹token:00000002› ‹email:0000000a›"), true);
  same(areComparable("‹token:00000001›", "‹token:00000002›"), false);
  same(areComparable("‹token:00000001›", "no mask"), true);
});

Deno.test("phases are side by side on the scale of the longer attempt", () => {
  const found = comparedPhases({ wait_ms: 50, receive_ms: 50, total_ms: 100 }, { dns_ms: 100, wait_ms: 100, total_ms: 200 });
  same(found.map(({ name }) => name), ["dns", "wait", "receive", "total"]);
  same(found.map(({ sides }) => sides.map((side) => side && [side.start, side.share])), [
    [null, [0, 50]],
    [[0, 25], [50, 50]],
    [[25, 25], null],
    [[0, 50], [0, 100]],
  ]);
  same(comparedPhases({}, {}), []);
});
