// @ts-check
import { searchOf } from "../../Public/assets/js/models/network/body-search.js";
import { endpointFilter } from "../../Public/assets/js/models/network/drift.js";
import { complete } from "../../Public/assets/js/models/network/filter-completion.js";
import { fields } from "../../Public/assets/js/models/network/filter-fields.js";
import { namesTool, parseFilter, termsOf, tokens } from "../../Public/assets/js/models/network/filter-syntax.js";
import { filterTest } from "../../Public/assets/js/models/network/filter-test.js";
import { filterSentence } from "../../Public/assets/js/models/network/filter-words.js";
import { RowStore } from "../../Public/assets/js/models/network/row-store.js";
import { Words } from "../../Public/assets/js/helpers/i18n.js";
import { catalogueOf, holds, same } from "./check.js";
import { oracle, randomFilter } from "./filter-oracle.js";
import { oneOf, randomNumbers, randomRow, row, uuid } from "./rows.js";

const sample = [
  row(1),
  row(2, {
    method: "POST",
    path: "/rpc/refresh_tokens",
    endpoint: "/rpc/refresh_tokens",
    status: 401,
    state: "failure",
    error: "ErrRefreshTokenExpired",
  }),
  row(3, { status: undefined, state: "failure", error: "timeout", is_pinned: true }),
  row(4, { status: undefined, state: "pending", duration_ms: undefined, response_bytes: undefined }),
  row(5, { status: 503, state: "failure", source: "fault", fault_id: "x", attempt: 2, duration_ms: 900 }),
];
const now = Date.parse("2026-01-01T00:01:00Z");

/** @param {import("./rows.js").NetworkRow[]} rows */
function stored(rows) {
  const store = new RowStore(100_000);
  store.merge(rows);
  return store;
}

/** @param {string} text @param {RowStore} store @param {Record<string, number[]>} [found] */
function matches(text, store, found = {}) {
  const { expression } = parseFilter(text);
  const test = filterTest(expression, store, { now, found: (one) => (found[one] ? new Set(found[one]) : null) });
  return Array.from({ length: store.count }, (_, place) => store.slotAt(place)).filter(test).map((slot) =>
    store.columns.seq[slot]
  );
}

Deno.test("a filter's terms all hold, a dash negates, a bar stands between alternatives, quotes keep spaces", () => {
  const store = stored(sample);
  /** @type {[string, number[]][]} */
  const cases = [
    ["", [1, 2, 3, 4, 5]],
    ["method:post", [2]],
    ["method:GET,POST", [1, 2, 3, 4, 5]],
    ["status:4xx", [2]],
    ["status:>=400", [2, 5]],
    ["status:401,503", [2, 5]],
    ["status:400..500", [2]],
    ["status:err", [3]],
    ["status:pending", [4]],
    ["-path:/rpc/me", [2]],
    ["!path:/rpc/me", [2]],
    ["path:/rpc/*_tokens", [2]],
    ["endpoint:refresh -method:GET", [2]],
    ["dur:>500ms", [5]],
    ["dur:<=0.02s", [1, 2, 3]],
    ["size:>=0.5kb", [1, 2, 3, 5]],
    ["is:failed -is:fault", [2, 3]],
    ["is:retried", [5]],
    ["is:pinned | is:pending", [3, 4]],
    ["(is:pinned | is:pending) -status:err", [4]],
    ["-(is:pinned | is:pending)", [1, 2, 5]],
    ['flow:"sign in" timeout', [3]],
    ["expired", [2]],
    ["50", [5]],
    ["source:network,cache", [1, 2, 3, 4]],
    ["source:tool", []],
    ["has:error", [2, 3]],
    ["since:1m", [1, 2, 3, 4, 5]],
    ["since:30s", []],
    ["between:2026-01-01T00:00:00Z..2026-01-01T00:00:01Z", [1, 2, 3, 4, 5]],
    ["between:2026-01-01T00:00:00.001Z..2026-01-01T00:00:01Z", []],
  ];
  for (const [text, seqs] of cases) same(matches(text, store), seqs, text);
  same(matches('body:"a b"', store, { "body=a%20b": [2, 4, 99] }), [2, 4]);
  same(termsOf(parseFilter('x | -(body:"a b" body:c)').expression, "body").map((one) => one.value), ["a b", "c"]);
});

Deno.test("a text, a host, an id or a header finds its rows, and a short text no id by chance", () => {
  const store = stored([
    row(1, { id: uuid(1), call_id: uuid(0xabc), host: "api.example.org" }),
    row(2, { id: uuid(2), host: "cdn.example.org:8443", path: "/abc" }),
    row(3, { id: uuid(3), parent_id: uuid(1) }),
  ]);
  same(matches("host:cdn", store), [2]);
  same(matches("host:*.org", store), [1]);
  same(matches("example", store), [1, 2], "a text is looked for in hosts");
  same(matches(`id:${uuid(1)}`, store), [1, 3], "a row and what it caused");
  same(matches(uuid(0xabc), store), [1], "the id of a call is pasted without a field");
  same(matches("abc", store), [2], "no part of an id");
  same(matches("id:0198C0DE", store), [1, 2, 3]);
  same(matches("header:etag=abc", store, { "header=etag%3Dabc": [3] }), [3]);
  same(matches("W/5f3a-long", store, { "header=%3DW%2F5f3a-long": [2] }), [2], "a text is looked for in headers");
  same([searchOf("", "etag"), searchOf("", "/v1/*/things"), searchOf("path", "/long/enough")], [null, null, null]);
  store.merge([row(4, { id: uuid(4), call_id: uuid(1) })]);
  same(matches(`id:${uuid(1)}`, store), [1, 3, 4]);
});

Deno.test("drift is any difference; missing is a difference where one side lacks something", () => {
  /** @param {"missing" | "undocumented" | "invalid"} kind */
  const drift = (kind) => [{ where: /** @type {const} */ ("response"), pointer: "/a", expected: "b", got: "c", kind }];
  const store = stored([
    row(1),
    row(2, { drift: drift("missing") }),
    row(3, { drift: drift("invalid") }),
    row(4, { drift: [...drift("invalid"), ...drift("undocumented")], drift_count: 7 }),
    row(5, { drift: [] }),
  ]);
  same(matches("drift:any", store), [2, 3, 4]);
  same(matches("drift:missing", store), [2, 4]);
  same(matches("drift:ANY,missing", store), [2, 3, 4]);
  same(matches("-drift:any", store), [1, 5]);
  same(parseFilter("drift:some").problems[0]?.key, "filter.bad_value");
  // A row is compared after its end, so its drift comes with a later revision.
  store.merge([row(1, { rev: 2, drift: drift("invalid") })]);
  same(matches("drift:any", store), [1, 2, 3, 4]);
  same(complete("drift:", 6, store).items.map((one) => one.label), ["any", "missing"]);
});

Deno.test("the rows of an endpoint with drift are found by its filter, whatever is in its name", () => {
  const drift = [{
    where: /** @type {const} */ ("request"),
    pointer: "",
    expected: "a",
    got: "b",
    kind: /** @type {const} */ ("invalid"),
  }];
  const endpoint = "/rpc/app config (old)";
  const store = stored([
    row(1, { endpoint, drift }),
    row(2, { endpoint }),
    row(3, { endpoint: "/rpc/me", drift }),
    row(4, { endpoint, drift, method: "POST" }),
  ]);
  same(matches(endpointFilter({ method: "GET", endpoint }), store), [1]);
});

Deno.test("what is not understood is named with its place and a hint, and hides nothing", () => {
  same(parseFilter("method:GET colour:red").problems, [{
    at: 11,
    end: 21,
    term: "colour:red",
    key: "filter.unknown_field",
  }]);
  same(matches("method:GET colour:red", stored(sample)), [1, 3, 4, 5]);
  /** @type {[string, string, number, string?][]} */
  const cases = [
    ["status:4yy", "filter.bad_value", 0, "status"],
    ["x stauts:404", "filter.unknown_field", 2, "status"],
    ["status:", "filter.no_value", 0, "status"],
    ['x path:"a', "filter.open_quote", 2],
    ["(is:failed", "filter.no_close", 0],
    ["is:failed )", "filter.no_open", 10],
    ["is:failed |", "filter.empty_side", 10],
    ["| is:failed", "filter.empty_side", 0],
    ["()", "filter.empty_group", 0],
    ["dur:>5y", "filter.bad_value", 0, "dur"],
    ["status:99999999999999999999", "filter.bad_value", 0, "status"],
    ["between:2026..2025", "filter.bad_value", 0, "between"],
    ["(status:4yy) | x", "filter.bad_value", 1, "status"],
    [`${"(".repeat(60)}x`, "filter.too_deep", 50],
  ];
  for (const [text, key, at, hint] of cases) {
    const found = parseFilter(text).problems.find((one) => one.key === key);
    holds(found, `${text} has ${key}, not ${JSON.stringify(parseFilter(text).problems)}`);
    same([found?.at, found?.hint], [at, hint], text);
  }
  same(parseFilter("constructor:x is:constructor has:toString").problems.length, 3);
  same(parseFilter("(status:4yy) | x").problems.length, 1, "one mistake is one problem");
  same(matches("is:failed | ", stored(sample)), [2, 3, 5], "the side that is there holds");
});

Deno.test("any text makes a filter, none makes an exception, and every token lies where it says", () => {
  const random = randomNumbers(7);
  const store = stored(sample);
  for (let round = 0; round < 4000; round += 1) {
    let text = "";
    for (let length = 0; length < round % 24; length += 1) {
      text += oneOf(random, Array.from('abis:-">=<4x ,*\\()([{|!.\u{1f600}'));
    }
    const { expression, problems } = parseFilter(text);
    const test = filterTest(expression, store, { now, found: () => null });
    for (let place = 0; place < store.count; place += 1) holds(typeof test(store.slotAt(place)) === "boolean", text);
    let end = 0;
    for (const token of tokens(text)) {
      holds(token.at >= end && token.end > token.at && text.slice(end, token.at).trim() === "", text);
      end = token.end;
    }
    for (const one of problems) {
      holds(one.at >= 0 && one.end <= text.length && text.slice(one.at, one.end) === one.term, text);
    }
  }
});

Deno.test("ten thousand filters of every kind let through what a naive reading lets through", () => {
  const random = randomNumbers(11);
  const rows = Array.from({ length: 60 }, (_, index) => randomRow(random, index + 1));
  const store = stored(rows);
  const at = Date.parse(rows.at(-1)?.started_at ?? "");
  const found = new Set([3, 8, 21]);
  let passed = 0;
  for (let round = 0; round < 10_000; round += 1) {
    const { text, tree } = randomFilter(random, 3);
    const { expression, problems } = parseFilter(text);
    same(problems, [], text);
    const test = filterTest(expression, store, { now: at, found: () => found });
    for (let pick = 0; pick < 4; pick += 1) {
      const one = oneOf(random, rows);
      const expected = oracle(tree, one, at, found);
      if (expected) passed += 1;
      same(test(store.slotOf(one.id)), expected, `${text}  on ${JSON.stringify(one)}`);
    }
  }
  holds(passed > 4000 && passed < 36_000, `both answers are frequent: ${passed}`);
});

Deno.test("a filter reads rows that come after it, however many", () => {
  const store = stored(sample);
  const tests = ["503", "status:503", "refresh"].map((text) =>
    filterTest(parseFilter(text).expression, store, { now, found: () => null })
  );
  const fresh = Array.from({ length: 5000 }, (_, number) => row(number + 6, number % 2 ? { path: "/refresh" } : { status: 503 }));
  const { added } = store.merge(fresh);
  same(tests.map((test) => added.filter(test).length), [2500, 2500, 2500]);
});

Deno.test("a filter is told as a sentence of the language", () => {
  const words = new Words(catalogueOf("en"), "en");
  /** @param {string} text */
  const sentence = (text) =>
    filterSentence(
      parseFilter(text).expression,
      (key, parameters) => words.text(key, parameters),
      (at) => at.slice(11, 19),
    );
  same(sentence(""), "");
  same(sentence("method:post status:>=500"), "Rows where the method is POST and the status is 500 or above");
  same(
    sentence("-path:/rpc/me (is:failed | dur:>1s)"),
    "Rows where not: the path contains /rpc/me and (the row failed or the duration is over 1s)",
  );
  const random = randomNumbers(5);
  for (let round = 0; round < 500; round += 1) {
    const { text } = randomFilter(random, 3);
    holds(!/\{\w+\}|say\./.test(sentence(text)), `${text}: ${sentence(text)}`);
  }
});

Deno.test("a filter is completed with fields, and with the values that the rows have, the most frequent first", () => {
  const store = stored(sample);
  const labels = (/** @type {string} */ text, caret = text.length) =>
    complete(text, caret, store).items.map((one) => one.label);
  same(labels("").length, fields.length - 1, "all fields but the one that the brush writes");
  same(labels("sta"), ["status:"]);
  same(labels("status:"), ["2xx", "4xx", "5xx", "200", "401", "503"]);
  same(labels("status:4"), ["4xx", "401"]);
  same(complete("x -endpoint:me y", 13, store), {
    from: 3,
    to: 14,
    items: [{ text: "endpoint:/rpc/me ", label: "/rpc/me", count: 4 }],
  });
  same(complete("flow:", 5, store).items[0]?.text, 'flow:"sign in" ');
  same(complete("method:GET,", 11, store).items.map((one) => one.text), ["method:GET,GET ", "method:GET,POST "]);
  same(labels("nothing:"), []);
  same(labels("refresh"), ["endpoint:/rpc/refresh_tokens"]);
});

Deno.test("the console's own requests are asked for by a term of their own", () => {
  const asks = ["source:tool", "SOURCE:Tool method:GET", "source:tool path:/a"];
  const others = ["", "-source:tool", "source:tool | status:5xx", "(source:tool)", "source:network", "tool", "source:network,tool"];
  for (const text of asks) same(namesTool(parseFilter(text).expression), true, text);
  for (const text of others) same(namesTool(parseFilter(text).expression), false, text);
  same(parseFilter("source:network,tool").problems.map((one) => one.key), ["filter.bad_value"]);
});
