// @ts-check
import { causeOf, causeWords, codeOf, triggered } from "../../Public/assets/js/models/network/cause.js";
import { kinds } from "../../Public/assets/js/models/faults/faults.js";
import { faultKey, isKeptFromBackend } from "../../Public/assets/js/models/network/row-fault.js";
import { BodySearch } from "../../Public/assets/js/models/network/body-search.js";
import { histogram, outline } from "../../Public/assets/js/models/network/histogram.js";
import { RowStore } from "../../Public/assets/js/models/network/row-store.js";
import { catalogueOf, holds, none, same } from "./check.js";
import { row } from "./rows.js";

const failed = row(1, { call_id: "a", status: 401, state: "failure", error: "ErrAccessTokenExpired" });
const alone = { call: [failed], children: [], parent: null };

/** @param {ReturnType<typeof causeOf>} told */
const keys = (told) => told.map((one) => (one.row ? `${one.key} > ${one.row}` : one.key));

Deno.test("a failed row says why in words, and what the client did then, with the rows that show it", () => {
  same(causeOf(row(1), null, { call: [], children: [], parent: null }), [], "what worked needs no reason");
  same(keys(causeOf(failed, null, alone)), ["cause.ErrAccessTokenExpired", "cause.gave_up"]);
  const refresh = row(2, { call_id: "b", endpoint: "refresh_tokens", parent_id: "r1" });
  const again = row(3, { call_id: "a", attempt: 2 });
  same(keys(causeOf(failed, null, { call: [failed, again], children: [refresh], parent: null })), [
    "cause.ErrAccessTokenExpired",
    "cause.refreshed.worked > r2",
    "cause.sent_again.worked > r3",
  ]);
  const broken = row(2, { call_id: "b", endpoint: "refresh_tokens", status: 503, state: "failure" });
  same(keys(causeOf(failed, null, { call: [failed], children: [broken], parent: null })), [
    "cause.ErrAccessTokenExpired",
    "cause.refreshed.failed > r2",
    "cause.gave_up_refresh",
  ]);
});

Deno.test("the reason is the backend's code, else the client's word, else the status", () => {
  /** @param {Partial<import("./rows.js").NetworkRow>} fields @param {string | null} [code] */
  const first = (fields, code = null) =>
    causeOf(row(1, { state: "failure", ...fields }), code, { call: [], children: [], parent: null })[0];
  same(first({ status: 401, error: "unauthorized" }, "login_code_invalid")?.key, "cause.login_code_invalid");
  same(first({ status: undefined, error: "timeout" })?.key, "cause.timeout");
  same(first({ status: 418, error: undefined }, "teapot"), {
    key: "cause.status_4xx",
    parameters: { status: "418", code: "teapot" },
  });
  same(first({ status: 502, error: undefined })?.key, "cause.status_5xx");
  same(first({ status: undefined, error: undefined })?.key, "cause.no_answer");
  same(first({ status: undefined, error: "constructor" })?.key, "cause.no_answer");
});

Deno.test("sign-out, faults, retries and what a row was sent for are told", () => {
  const related = { call: [], children: [], parent: row(9, { call_id: "z" }) };
  const endpoint = "refresh_tokens";
  const ended = row(1, { status: 401, state: "failure", error: "refresh_token_reused", endpoint });
  same(keys(causeOf(ended, null, related)), ["cause.refresh_token_reused", "cause.for_refresh > r9", "cause.signed_out"]);
  same(triggered(row(1), row(9, { call_id: "z", path: "/rpc/me", status: 401 })), {
    key: "cause.for",
    parameters: { call: "GET /rpc/me #9 (401)" },
    row: "r9",
  });
  same(triggered(row(2, { call_id: "a" }), row(1, { call_id: "a" })), null, "another attempt of the same call");
  const faulted = row(1, { call_id: "a", status: 503, state: "failure", source: "fault", fault_id: "x" });
  const next = row(2, { call_id: "a", attempt: 2, status: undefined, state: "pending" });
  same(keys(causeOf(faulted, null, { call: [faulted, next], children: [], parent: null })), [
    "cause.status_5xx",
    "cause.retried.open > r2",
  ]);
  const named = { ...faulted, fault: { name: "Down", action: "status" } };
  same(keys(causeOf(named, null, { call: [named, next], children: [], parent: null })), ["cause.retried.open > r2"], "no backend did it");
  same(
    keys(
      causeOf(row(1, { state: "cancelled", status: undefined, error: "cancelled" }), null, {
        call: [],
        children: [],
        parent: null,
      }),
    ),
    ["cause.cancelled"],
  );
});

Deno.test("nothing is told of another program's client but what the row shows", () => {
  const foreign = { ...failed, flow: "" };
  same(keys(causeOf(foreign, null, { call: [foreign], children: [], parent: null })), ["cause.status_4xx"]);
  // Its backend's words can mean something else than ours.
  for (const error of ["not_found", "conflict", "signature_rejected"]) {
    const told = causeOf({ ...foreign, error }, null, { call: [foreign], children: [], parent: null });
    same(told, [{ key: "cause.status_4xx", parameters: { status: "401", code: error } }]);
  }
  const lost = row(1, { flow: "", status: undefined, state: "failure", error: "timeout" });
  same(keys(causeOf(lost, null, { call: [lost], children: [], parent: null })), ["cause.timeout"]);
  // The importer's own word, whatever status the proxy's page has.
  for (const status of [200, 502]) {
    const page = row(1, { flow: "", status, state: "failure", error: "proxy_page" });
    same(keys(causeOf(page, null, { call: [page], children: [], parent: null })), ["cause.proxy_page"]);
  }
  const refresh = row(1, { flow: "", endpoint: "refresh_tokens", status: 401, state: "failure", error: "invalid_grant" });
  same(keys(causeOf(refresh, null, { call: [refresh], children: [], parent: null })), ["cause.status_4xx"]);
});

Deno.test("a sign-out is told of a refused refresh and of a refusal after one, and of nothing else", () => {
  /** @param {Partial<import("./rows.js").NetworkRow>} fields @param {import("./rows.js").NetworkRow[]} [call] */
  const ends = (fields, call = []) =>
    keys(causeOf(row(5, { state: "failure", ...fields }), null, { call, children: [], parent: null })).at(-1) ===
      "cause.signed_out";
  const endpoint = "refresh_tokens";
  for (const status of [401, 400, 403]) same(ends({ endpoint, status, error: "invalid_grant" }), true, `${status}`);
  same(ends({ endpoint, status: 401, error: "unauthorized" }), true);
  for (const status of [408, 425, 429, 500]) same(ends({ endpoint, status, error: "x" }), false, `${status}`);
  same(ends({ endpoint, status: 403, error: "forbidden" }), false, "a proxy's page");
  same(ends({ endpoint, status: 401, error: "invalid_signature" }), false);
  const first = row(4, { call_id: "c", status: 401, state: "failure" });
  same(ends({ call_id: "c", status: 401, error: "something_new" }, [first]), true);
  same(ends({ call_id: "c", status: 401, error: "login_code_invalid" }, [first]), false);
  same(ends({ call_id: "c", status: 401, error: "something_new" }), false);
});

Deno.test("each kind of fault rule has its sentence, and none is said of a response that never came", () => {
  const english = catalogueOf("en");
  /** @param {string} action @param {Partial<import("./rows.js").NetworkRow>} [fields] */
  const key = (action, fields = {}) => faultKey(row(1, { source: "fault", fault: { name: "n", action }, ...fields }));
  const found = [...Object.keys(kinds), "answer"].map((kind) => key(kind, { error: "connection_lost" }));
  found.push(faultKey(row(1, { fault_id: "f" })), key("constructor"));
  same(key("reset", { error: "offline", status: undefined }), "detail.fault.acted");
  same(key("malformed_body", { error: "timeout", status: undefined }), "detail.fault.acted");
  same(new Set(found), new Set(Object.keys(english).filter((one) => one.startsWith("detail.fault."))));
  same(["status", "offline", "reset", "latency"].map((action) => isKeptFromBackend(row(1, { source: "fault", fault: { name: "n", action } }))), [
    true,
    true,
    false,
    false,
  ]);
});

Deno.test("the backend's code is found in every shape of an error", () => {
  const shapes = [
    '{"error":{"code":"x_y","message":""}}',
    '{"code":"x_y","message":""}',
    '{"error":"x_y","error_description":""}',
    '{"type":"https://backend.test/problems/x-y?z=1","title":""}',
    '{"type":"about:blank","code":"x_y"}',
  ];
  for (const body of shapes) same(codeOf(body), "x_y", body);
  for (const body of ['{"type":"about:blank"}', '{"error":"No such thing"}', '{"code":1}', "null", "<p>"]) {
    same(codeOf(body), null, body);
  }
});

Deno.test("every sentence of a cause is in the catalogue, and none is there that no cause says", () => {
  const english = catalogueOf("en");
  /** @type {Set<string>} */
  const told = new Set();
  for (const error of [...causeWords, "anything"]) {
    for (const state of /** @type {const} */ (["failure", "success", "pending"])) {
      const status = state === "success" ? 200 : state === "failure" ? 503 : undefined;
      const own = row(1, { call_id: "a", state: "failure", status: 400, error, source: "fault" });
      const related = {
        call: [row(5, { call_id: "a", state, status })],
        children: [row(4, { endpoint: "refresh_tokens", state, status })],
        parent: row(9),
      };
      for (const part of [related, { ...related, children: [] }, { ...related, call: [] }]) {
        for (const one of causeOf(own, null, part)) told.add(one.key);
      }
    }
  }
  told.add(triggered(row(1, { call_id: "a", endpoint: "refresh_tokens" }), row(9, { call_id: "z" }))?.key ?? "");
  for (const status of [undefined, 404, 429, 500]) {
    for (const one of causeOf(row(1, { state: "failure", status }), null, { call: [], children: [], parent: null })) {
      told.add(one.key);
    }
  }
  none([...told].filter((key) => !Object.hasOwn(english, key)), "sentences that are not there");
  const others = ["cause.label", "cause.show"];
  const those = Object.keys(english).filter((key) => key.startsWith("cause.") && !others.includes(key));
  none(those.filter((key) => !told.has(key)), "sentences that nobody says");
});

Deno.test("the code of an answer is read from its JSON alone", () => {
  same(codeOf('{"error":{"code":"login_code_invalid"}}'), "login_code_invalid");
  for (
    const body of [
      undefined,
      "",
      "null",
      "[]",
      "{",
      '{"error":{"code":7}}',
      '{"error":{"code":"<b>"}}',
      '{"error":null}',
    ]
  ) same(codeOf(body), null, body);
});

Deno.test("rows are counted by when they began, and the outline shows a single one", () => {
  const store = new RowStore(100);
  const at = (/** @type {number} */ ms) => new Date(Date.UTC(2026, 0, 1) + ms).toISOString();
  store.merge([
    row(1, { started_at: at(0) }),
    row(2, { started_at: at(9_999), status: 500, state: "failure" }),
    row(3, { started_at: at(10_000), source: "fault", status: 503, state: "failure" }),
  ]);
  const counts = histogram(store, 10);
  same([...counts.all], [1, 0, 0, 0, 0, 0, 0, 0, 0, 2]);
  same([counts.failed[9], counts.faulted[9], counts.end - counts.start], [1, 1, 10_000]);
  same(outline(new Uint32Array([0, 1]), 100), "M1.1 100V90.0H1.9V100Z");
  same(histogram(new RowStore(5), 4).end, 0);
});

Deno.test("a search in bodies goes on to its end, tells what it found, and stops when it is not wanted", async () => {
  /** @type {[string, number][]} */
  const asked = [];
  let changes = 0;
  const search = new BodySearch((text, after, signal) => {
    asked.push([text, after]);
    signal.throwIfAborted();
    return Promise.resolve({ matches: [after + 1], next: after + 10, done: after >= 20 });
  }, () => changes += 1);
  search.want(["x"]);
  while (search.isRunning) await Promise.resolve();
  same(asked, [["x", 0], ["x", 10], ["x", 20]]);
  same([[...search.found("x") ?? []], changes], [[1, 11, 21], 3]);
  search.again();
  same([[...search.found("x") ?? []].length, search.isRunning], [3, true], "what was found stays while it goes on");
  while (search.isRunning) await Promise.resolve();
  same(asked.splice(3).map(([, after]) => after), [0, 10, 20], "the last rows are looked at again");
  changes = 3;
  search.want(["x", "y"]);
  same(asked.length, 4, "what was found is not asked again");
  search.want([]);
  await Promise.resolve();
  same([search.found("x"), search.found("y"), search.isRunning, asked.length], [null, null, false, 4]);
  holds(changes === 3, "what is not wanted says nothing");
});
