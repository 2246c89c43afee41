// @ts-check
import {
  answerOfRow,
  answerOfRule,
  blankAnswer,
  bodyLimit,
  confirmedBy,
  headersOf,
  indented,
  isAnswerLost,
  isBodiless,
  lostHeaders,
  ruleOfAnswer,
} from "../../Public/assets/js/models/faults/answers.js";
import { none, same } from "./check.js";

/** @typedef {import("../../Public/assets/js/models/faults/answers.js").AnsweredRow} AnsweredRow */
/** @typedef {import("../../Public/assets/js/models/faults/answers.js").AnswerDraft} AnswerDraft */

/** @type {AnsweredRow} */
const row = {
  id: "1",
  method: "POST",
  path: "/rpc/update_cue_stage",
  url: "https://backend.test/rpc/update_cue_stage?a=1&b=‹token:00000000›",
  status: 200,
  response_bytes: 9,
  request: { body: '{"stage":"new"}' },
  response: {
    status: 200,
    headers: [
      ["Content-Type", "application/json"],
      ["Date", "Sun, 22 Nov 2026 12:00:00 GMT"],
      ["X-Request-ID", "7"],
      ["Content-Length", "9"],
      ["Transfer-Encoding", "chunked"],
      ["X-Other", "‹header:00000000›"],
      ["ETag", '"1"'],
    ],
    body: '{"a":[1.0,{}],"b":"‹email:00000000›"}',
  },
};

/** @param {Partial<AnswerDraft>} changes */
const draft = (changes) => ({ ...blankAnswer(), path: "/rpc/me", ...changes });

Deno.test("a row's answer is taken over without what belongs to its moment or connection, and without lost values", () => {
  const answer = answerOfRow(row);
  same(answer.headers, 'Content-Type: application/json\nETag: "1"');
  same(lostHeaders(row), 1);
  same([answer.method, answer.path, answer.status], ["POST", "/rpc/update_cue_stage", "200"]);
  same([answer.query, answer.requestBody], ["a=1&b=‹token:00000000›", '{"stage":"new"}']);
  same(answer.body, '{\n  "a": [\n    1.0,\n    {}\n  ],\n  "b": "‹email:00000000›"\n}');
  same(isAnswerLost(row), false);
  same(isAnswerLost({ ...row, response: { headers: [] } }), true);
});

Deno.test("the answer that a 304 confirmed is the last earlier 200 to the same call", () => {
  const rows = [
    { id: "a", seq: 1, method: "GET", path: "/rpc/me", status: 200 },
    { id: "b", seq: 2, method: "GET", path: "/rpc/me", status: 200 },
    { id: "c", seq: 3, method: "POST", path: "/rpc/me", status: 200 },
    { id: "d", seq: 4, method: "GET", path: "/rpc/get_cues", status: 200 },
    { id: "e", seq: 6, method: "GET", path: "/rpc/me", status: 200 },
  ];
  same(confirmedBy({ method: "GET", path: "/rpc/me", seq: 5 }, rows)?.id, "b");
  same(confirmedBy({ method: "GET", path: "/rpc/other", seq: 5 }, rows), undefined);
});

Deno.test("204 and 304 have no body", () => {
  same(["204", " 304 ", "200", "2040"].map(isBodiless), [true, true, false, false]);
});

Deno.test("a value that was masked without being known is left empty, one that is known is filled in again", () => {
  const body = '{"access_token":"‹token:0a1b2c3d›","session_id":"‹value:0a1b2c3d›"}';
  const { body: text } = answerOfRow({ id: "1", method: "POST", path: "/rpc/x", response: { status: 200, body } });
  same(JSON.parse(text), { access_token: "‹token:0a1b2c3d›", session_id: "" });
});

Deno.test("a row that got no answer begins with an empty 200", () => {
  const answer = answerOfRow({ id: "1", method: "GET", path: "/rpc/me" });
  same([answer.status, answer.body, answer.headers, answer.query, answer.requestBody], ["200", "", "", null, null]);
});

Deno.test("the rule matches method and path, and query and body if that is wished", () => {
  const answer = { ...answerOfRow(row), status: " 500 ", body: "{}" };
  const { rule, problems } = ruleOfAnswer(answer);
  same(problems, {});
  same(rule.match, { method: "POST", path: "/rpc/update_cue_stage" });
  same(rule.name, "500 POST /rpc/update_cue_stage");
  same(rule.action, {
    kind: "answer",
    status: 500,
    headers: [["Content-Type", "application/json"], ["ETag", '"1"']],
    body: "{}",
  });
  same([rule.when, rule.expires_in_seconds], [{}, 900]);
  const narrow =
    ruleOfAnswer({ ...answer, isSameQuery: true, isSameBody: true, times: "1", latency: "70", expires: "0" }).rule;
  same([narrow.match?.query, narrow.match?.body], [row.url?.split("?")[1], '{"stage":"new"}']);
  same([narrow.when, narrow.action.latency_ms, narrow.expires_in_seconds], [{ count: 1 }, 70, 0]);
});

Deno.test("a rule that is edited and saved unchanged stays the same", () => {
  /** @type {import("../../Public/assets/js/models/faults/faults.js").FaultDraft & {name: string}} */
  const rule = {
    name: "Mine",
    match: { method: "GET", endpoint: "me", path: "/rpc/me", query: "", body: "x" },
    when: { skip: 1, every: 2, count: 3, probability: 0.5, seed: 4 },
    action: { kind: "answer", status: 204, headers: [["A", "b: c"], ["A", ""]], body: "<html>", latency_ms: 5 },
  };
  const fault = { ...rule, id: "1", armed_at: "", hits: 0, state: /** @type {"armed"} */ ("armed") };
  const { rule: again, problems } = ruleOfAnswer(answerOfRule(fault));
  same(problems, {});
  const order = (/** @type {object} */ one) => Object.entries(one).toSorted(([a], [b]) => a.localeCompare(b));
  same(order(again.match ?? {}), order(rule.match ?? {}));
  same(order(again.when ?? {}), order(rule.when ?? {}));
  same(order(again.action), order(rule.action));
  same([again.name, again.expires_in_seconds], ["Mine", 0]);
});

Deno.test("what cannot be armed is told at its field", () => {
  /** @type {[Partial<AnswerDraft>, string][]} */
  const wrong = [
    [{ status: "" }, "status"],
    [{ status: "199" }, "status"],
    [{ status: "600" }, "status"],
    [{ status: "2e2" }, "status"],
    [{ status: "-200" }, "status"],
    [{ latency: "0" }, "latency"],
    [{ latency: "600001" }, "latency"],
    [{ latency: "1.5" }, "latency"],
    [{ headers: "no colon" }, "headers"],
    [{ headers: "a b: c" }, "headers"],
    [{ headers: "Content-Length: 3" }, "headers"],
    [{ headers: ": x" }, "headers"],
    [{ path: "" }, "path"],
    [{ path: "rpc/me" }, "path"],
    [{ path: "/rpc/me?a=1" }, "path"],
    // As long in characters as is allowed, and one byte longer in UTF-8.
    [{ body: `${"x".repeat(bodyLimit - 1)}é` }, "body"],
  ];
  none(
    wrong.filter(([change, field]) =>
      JSON.stringify(Object.keys(ruleOfAnswer(draft(change)).problems)) !== `["${field}"]`
    )
      .map(([change]) => JSON.stringify(change).slice(0, 80)),
    "no problem at its field",
  );
  same(ruleOfAnswer(draft({ path: "", endpoint: "me" })).problems, {});
  same(ruleOfAnswer(draft({ body: "not JSON" })).problems, {});
});

Deno.test("headers are a line each, with the number of a wrong one", () => {
  same(headersOf("A: b\n\n  C :  d: e  \nF:"), { headers: [["A", "b"], ["C", "d: e"], ["F", ""]], wrong: 0 });
  same(headersOf("A: b\nnonsense\nC: d").wrong, 2);
  same(headersOf("A: b\r\nC: d\r").headers, [["A", "b"], ["C", "d"]]);
});

Deno.test("a name is made of status, method and path, at most 60 characters long", () => {
  same(ruleOfAnswer(draft({ status: "503" })).rule.name, "503 GET /rpc/me");
  same(ruleOfAnswer(draft({ method: "", name: " Mine " })).rule.name, "Mine");
  same(Array.from(ruleOfAnswer(draft({ path: `/${"a".repeat(100)}` })).rule.name).length, 60);
});

Deno.test("JSON is indented token by token, so that nothing in it changes", () => {
  same(
    indented('{"a":1.50,"b":"x, {y}: \\" [z]","c":[ ],"d":{}}'),
    [
      "{",
      '  "a": 1.50,',
      '  "b": "x, {y}: \\" [z]",',
      '  "c": [],',
      '  "d": {}',
      "}",
    ].join("\n"),
  );
  for (const text of ["", "12345678901234567890", '"a"', "<html>", '{"a":']) same(indented(text), text);
});
