// @ts-check
import { parseFilter } from "../../Public/assets/js/models/filter.js";
import { moveActive, RowLog } from "../../Public/assets/js/models/row-log.js";
import { middleEllipsis, rowTone, statusLabel, timingBars } from "../../Public/assets/js/models/row-log.js";
import { isAtEnd, rowWindow, scrollToRow } from "../../Public/assets/js/models/row-log.js";
import { holds, same } from "./check.js";

/** @typedef {import("../../Public/assets/js/models/row-log.js").NetworkRow} NetworkRow */

/** @param {number} seq @param {Partial<NetworkRow>} [fields] @returns {NetworkRow} */
const row = (seq, fields = {}) => ({
  id: `r${seq}`,
  seq,
  rev: 1,
  call_id: `c${seq}`,
  flow_id: "f",
  flow: "sign in",
  started_at: "2026-01-01T00:00:00.000Z",
  method: "GET",
  path: "/rpc/me",
  endpoint: "/rpc/me",
  attempt: 1,
  state: "success",
  status: 200,
  duration_ms: 20,
  response_bytes: 500,
  source: "network",
  ...fields,
});

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
  row(3, { status: undefined, state: "failure", error: "timeout" }),
  row(4, { status: undefined, state: "pending", duration_ms: undefined }),
  row(5, { status: 503, state: "failure", source: "fault", fault_id: "x", attempt: 2, duration_ms: 900 }),
];

/** @param {string} text */
const matches = (text) => sample.filter(parseFilter(text).test).map((one) => one.seq);

Deno.test("a filter's terms all hold, a dash negates, quotes keep spaces", () => {
  same(matches(""), [1, 2, 3, 4, 5]);
  same(matches("method:post"), [2]);
  same(matches("method:GET,POST"), [1, 2, 3, 4, 5]);
  same(matches("status:4xx"), [2]);
  same(matches("status:>=400"), [2, 5]);
  same(matches("status:401,503"), [2, 5]);
  same(matches("status:err"), [3]);
  same(matches("status:pending"), [4]);
  same(matches("-path:/rpc/me"), [2]);
  same(matches("endpoint:refresh -method:GET"), [2]);
  same(matches("dur:>500"), [5]);
  same(matches("is:failed -is:fault"), [2, 3]);
  same(matches("is:retried"), [5]);
  same(matches('flow:"sign in" timeout'), [3]);
  same(matches("expired"), [2]);
});

Deno.test("a term that is not understood is named with its place and hides nothing", () => {
  const filter = parseFilter("method:GET colour:red");
  same(filter.problems, [{ at: 11, term: "colour:red", key: "filter.unknown_field" }]);
  same(sample.filter(filter.test).length, 4);
  same(parseFilter("status:4yy").problems[0]?.key, "filter.bad_value");
  same(parseFilter("status:").problems[0]?.key, "filter.no_value");
  same(parseFilter('path:"a').problems[0]?.key, "filter.open_quote");
  same(parseFilter("constructor:x is:constructor").problems.length, 2);
  same(parseFilter("status:99999999999999999999").problems.length, 1);
});

Deno.test("any text makes a filter, none makes an exception", () => {
  let seed = 7;
  const alphabet = 'abs:-">=<4x ,*\\([{\u{1f600}';
  for (let round = 0; round < 3000; round += 1) {
    let text = "";
    for (let length = 0; length < round % 24; length += 1) {
      seed = (seed * 1103515245 + 12345) % 2147483648;
      text += alphabet[seed % alphabet.length];
    }
    const filter = parseFilter(text);
    for (const one of sample) holds(typeof filter.test(one) === "boolean", text);
  }
});

Deno.test("the log keeps order and newest revisions, whatever order they arrive in", () => {
  const log = new RowLog(100);
  same(log.merge([row(2), row(1), row(3)]), { added: 3, trimmed: 0 });
  same(log.rows.map((one) => one.seq), [1, 2, 3]);
  log.merge([row(2, { rev: 3, status: 500 }), row(2, { rev: 2, status: 404 })]);
  same(log.rows[1]?.status, 500);
  same(log.merge([row(2, { rev: 3 })]).added, 0, "a row seen twice is one row");
  same(log.lastSequence, 3);
});

Deno.test("the log drops its oldest beyond its capacity and says how many left the view", () => {
  const log = new RowLog(3);
  log.filter((one) => one.seq % 2 === 1);
  log.merge([1, 2, 3].map((seq) => row(seq)));
  same(log.merge([row(4), row(5)]), { added: 1, trimmed: 1 });
  same(log.rows.map((one) => one.seq), [3, 4, 5]);
  same(log.shown.map((one) => one.seq), [3, 5]);
  same([log.dropped, log.indexOf("r1"), log.indexOf("r5"), log.indexOf("r4")], [2, -1, 1, -1]);
});

Deno.test("an update moves a row in or out of the filtered view", () => {
  const log = new RowLog(10);
  log.filter(parseFilter("status:5xx").test);
  log.merge([row(1, { status: undefined, state: "pending" }), row(2)]);
  same(log.shown.length, 0);
  log.merge([row(1, { rev: 2, status: 500, state: "failure" })]);
  same(log.shown.map((one) => one.id), ["r1"]);
  log.merge([row(1, { rev: 3, status: 200 })]);
  same(log.shown.length, 0);
});

Deno.test("selection is by id: rows that arrive or leave do not move it", () => {
  const log = new RowLog(4);
  log.merge([1, 2, 3, 4].map((seq) => row(seq)));
  same(log.indexOf("r3"), 2);
  log.merge([row(5)]);
  same(log.indexOf("r3"), 1);
  log.replace([row(3), row(9)], 50, 7);
  same([log.indexOf("r3"), log.dropped, log.capacity], [0, 7, 50]);
});

Deno.test("keys move the active row and stop at the ends", () => {
  same(moveActive("j", -1, 5, 3), 0);
  same(moveActive("ArrowUp", -1, 5, 3), 4);
  same(moveActive("k", 0, 5, 3), 0);
  same(moveActive("PageDown", 3, 5, 3), 4);
  same(moveActive("Home", 3, 5, 3), 0);
  same(moveActive("End", 0, 5, 3), 4);
  same(moveActive("x", 0, 5, 3), null);
  holds(moveActive("toString", 0, 5, 3) === null, "a name of every object is no key");
  same(moveActive("j", 0, 0, 3), null);
});

Deno.test("the window covers what is seen, is bounded, and stands where it should", () => {
  for (const count of [0, 1, 10, 100_000]) {
    for (const top of [0, 27, 28, 5000, 2_799_000]) {
      const view = rowWindow(count, 28, top, 560);
      holds(view.end - view.start <= 20 + 2 + 16, `bounded: ${view.end - view.start}`);
      holds(view.start >= 0 && view.end <= count, "inside");
      const first = Math.min(Math.floor(top / 28), Math.max(0, count - 1));
      holds(count === 0 || (view.start <= first && view.end > first), `row ${first} of ${count}`);
      same(view.offset, view.start * 28);
    }
  }
  holds(isAtEnd(436, 560, 1000) && !isAtEnd(434, 560, 1000), "five pixels");
  same([scrollToRow(0, 28, 100, 280), scrollToRow(50, 28, 0, 280), scrollToRow(5, 28, 0, 280)], [0, 1148, 0]);
});

Deno.test("a row's tone and status say what happened", () => {
  same(sample.map(rowTone), ["plain", "warn", "bad", "muted", "violet"]);
  same(rowTone(row(1, { status: 304 })), "info");
  same(rowTone(row(1, { status: 500 })), "bad");
  same(statusLabel(sample[3] ?? row(0)), { digits: null, key: "row.pending" });
  same(statusLabel(row(1)), { digits: "200", key: null });
  same(middleEllipsis("/a/bcdefghij/k", 8), "/a/…ij/k");
});

Deno.test("phases stand one after the other, an unknown one has no bar", () => {
  const bars = timingBars({ dns_ms: 10, wait_ms: 30, total_ms: 80 });
  same(bars.map((bar) => [bar.name, bar.duration, bar.start, bar.share]), [
    ["dns", 10, 0, 12.5],
    ["connect", undefined, 12.5, 0],
    ["tls", undefined, 12.5, 0],
    ["wait", 30, 12.5, 37.5],
    ["receive", undefined, 50, 0],
  ]);
});
