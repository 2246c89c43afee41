// @ts-check
import { RowLines } from "../../Public/assets/js/models/network/row-lines.js";
import { flag, RowStore } from "../../Public/assets/js/models/network/row-store.js";
import {
  callName,
  endpointLabel,
  isAtEnd,
  isGridAtEnd,
  masked,
  moveActive,
  rowTone,
  rowWindow,
  scrollToRow,
  statusLabel,
} from "../../Public/assets/js/models/network/row-view.js";
import { columns } from "../../Public/assets/js/models/network/columns.js";
import { holds, same } from "./check.js";
import { oneOf, randomNumbers, randomRow, row, uuid } from "./rows.js";

/** @typedef {import("./rows.js").NetworkRow} NetworkRow */

/** @param {RowStore} store */
const sequence = (store) => Array.from({ length: store.count }, (_, place) => store.columns.seq[store.slotAt(place)]);

/** The lines as short texts. @param {RowLines} lines */
const told = (lines) =>
  Array.from({ length: lines.count }, (_, place) => {
    const line = lines.line(place);
    if (line.kind === "row") return `${" ".repeat(line.level - 1)}${lines.store.columns.seq[line.slot]}`;
    return line.kind === "flow" || line.kind === "call" ? `${lines.keyAt(place)}${line.isOpen ? "" : "+"}` : line.kind;
  });

/** @param {RowStore} store @param {NetworkRow[]} rows @param {RowLines} lines */
const arrive = (store, rows, lines) => lines.take(store.merge(rows));

Deno.test("a row comes back from the columns as it went in", () => {
  const random = randomNumbers(3);
  const store = new RowStore(5000);
  const rows = Array.from({ length: 3000 }, (_, index) => randomRow(random, index + 1));
  store.merge(rows);
  for (const one of rows) {
    const { setup_ms: setup = 0, wait_ms: wait = 0, drift, ...rest } = one;
    const slot = store.slotOf(one.id);
    const back = store.row(slot);
    same((store.columns.flags[slot] ?? 0) & flag.drift, drift ? flag.drift : 0);
    same([store.columns.setup[slot], store.columns.wait[slot]], [Math.fround(setup), Math.fround(wait)]);
    same({ ...back, is_redacted: undefined }, { ...back, ...rest, is_redacted: undefined });
  }
  same([store.slotOf("nobody"), store.slotOf(null), store.slotOf(uuid(9_999_999)), store.slotOf("")], [-1, -1, -1, -1]);
});

Deno.test("the log keeps order and newest revisions, whatever order they arrive in", () => {
  const store = new RowStore(100);
  const change = store.merge([row(2), row(1), row(3)]);
  same([change.added.length, change.isInOrder, sequence(store)], [3, false, [1, 2, 3]]);
  store.merge([row(2, { rev: 3, status: 500 }), row(2, { rev: 2, status: 404 })]);
  same(store.row(store.slotOf("r2")).status, 500);
  same([store.endedAt(0), store.endedAt(2)], [null, Date.parse("2026-01-01T00:00:00.000Z") + 20], "the last sign of life before a gap");
  same(store.merge([row(2, { rev: 3 })]).added.length, 0, "a row seen twice is one row");
  same(store.lastSequence, 3);
});

Deno.test("the log drops its oldest beyond its capacity, keeps what is pinned, and does not take the old back", () => {
  const store = new RowStore(3);
  const lines = new RowLines(store);
  lines.isGrouped = false;
  arrive(store, [row(1), row(2, { is_pinned: true }), row(3)], lines);
  arrive(store, [row(4), row(5), row(6)], lines);
  same([sequence(store), store.dropped], [[2, 5, 6], 3]);
  same(told(lines), ["dropped", "2", "5", "6"]);
  arrive(store, [row(1)], lines);
  same(sequence(store), [2, 5, 6], "an old row that comes late stays away");
  same([store.slotOf("r1"), store.slotOf("r3")], [-1, -1]);
});

Deno.test("a small log takes a hundred thousand rows in bounded room", () => {
  const store = new RowStore(500);
  for (let seq = 1; seq <= 100_000; seq += 1) {
    store.merge([row(seq, { id: uuid(seq), call_id: uuid(500_000 + seq), path: `/rpc/me/${seq}` })]);
  }
  same([store.count, store.size, store.lastSequence, store.dropped], [500, 1024, 100_000, 99_500]);
  holds(store.texts.count + store.ids.count < 30_000, `${store.texts.count} texts, ${store.ids.count} ids`);
  same(store.row(store.slotOf(uuid(99_999))).path, "/rpc/me/99999");
});

Deno.test("rows are grouped under the user action and the call, and groups fold", () => {
  const store = new RowStore(100);
  const lines = new RowLines(store);
  arrive(store, [
    row(1, { flow_id: "sign-in", call_id: "a", status: 401, state: "failure" }),
    row(2, { flow_id: "cues", call_id: "b" }),
    row(3, { flow_id: "sign-in", call_id: "a", attempt: 2 }),
    row(4, { flow_id: "sign-in", call_id: "c" }),
  ], lines);
  same(told(lines), ["flow:sign-in", "call:a", "  1", "  3", " 4", "2"], "a user action of one call is one line");
  const { count, failed, isRunning, last } = lines.summary("flow", store.ids.find("sign-in"));
  same([count, failed, isRunning, store.columns.seq[last]], [3, 1, false, 4]);
  lines.folded.add("a");
  lines.layout();
  same(told(lines), ["flow:sign-in", "call:a+", " 4", "2"]);
  lines.folded.add("sign-in");
  lines.layout();
  same(told(lines), ["flow:sign-in+", "2"]);
  same([lines.placeOf("flow:cues"), lines.placeOf("r2"), lines.placeOf("r1"), lines.placeOf("call:a")], [-1, 1, -1, -1]);
  arrive(store, [row(5, { flow_id: "cues", call_id: "b", attempt: 2 })], lines);
  same(
    told(lines),
    ["flow:sign-in+", "call:b", " 2", " 5"],
    "a call that is tried again becomes a group",
  );
  arrive(store, [row(6, { flow_id: "cues", call_id: "d" })], lines);
  same(told(lines), ["flow:sign-in+", "flow:cues", "call:b", "  2", "  5", " 6"], "and so does its user action with a second call");
});

Deno.test("an update moves a row in or out of the filtered view", () => {
  const store = new RowStore(10);
  const lines = new RowLines(store);
  lines.isGrouped = false;
  lines.filter((slot) => (store.columns.status[slot] ?? 0) >= 500);
  arrive(store, [row(1, { status: undefined, state: "pending" }), row(2)], lines);
  same(lines.shown, 0);
  arrive(store, [row(1, { rev: 2, status: 500, state: "failure" })], lines);
  same([told(lines), lines.shown], [["1"], 1]);
  arrive(store, [row(1, { rev: 3, status: 200 })], lines);
  same(lines.shown, 0);
});

Deno.test("what was missed stands as a line where it was missed", () => {
  const store = new RowStore(10);
  const lines = new RowLines(store);
  lines.isGrouped = false;
  lines.gaps.push({ after: 2, at: 77, missed: 4 });
  arrive(store, [row(1), row(2), row(7)], lines);
  same(told(lines), ["1", "2", "gap", "7"]);
  same([lines.keyAt(2), lines.placeOf("gap:77")], ["gap:77", 2]);
});

Deno.test("rows are sorted by any column in both directions, what has no value last", () => {
  const store = new RowStore(10);
  const lines = new RowLines(store);
  arrive(store, [
    row(1, { duration_ms: 30, path: "/b" }),
    row(2, { duration_ms: undefined, path: "/c" }),
    row(3, { duration_ms: 10, path: "/a" }),
  ], lines);
  /** @param {import("../../Public/assets/js/models/network/row-lines.js").Order["key"]} key @param {boolean} isDescending */
  const sorted = (key, isDescending) => {
    lines.order = { key, isDescending };
    lines.layout();
    return told(lines);
  };
  same(sorted("ms", false), ["3", "1", "2"]);
  same(sorted("ms", true), ["1", "3", "2"]);
  same(sorted("path", false), ["3", "1", "2"]);
  same(sorted("seq", true), ["3", "2", "1"]);
  // Whatever column sorts, and one that cannot changes nothing.
  for (const { name } of columns) same(sorted(name, false).toSorted(), ["1", "2", "3"], name);
  same(sorted("fall", false), ["1", "2", "3"]);
  sorted("seq", true);
  arrive(store, [row(4)], lines);
  same(told(lines)[0], "4", "a row that arrives takes its place");
});

Deno.test("however rows arrive, each that passes is shown once and every key finds its line", () => {
  const random = randomNumbers(17);
  for (let round = 0; round < 60; round += 1) {
    const store = new RowStore(40);
    const lines = new RowLines(store);
    lines.isGrouped = round % 2 === 0;
    lines.filter((slot) => round % 3 > 0 || (store.columns.status[slot] ?? 0) < 400);
    for (let step = 0; step < 30; step += 1) {
      const seq = 1 + step * 3 + Math.floor(random() * 5);
      arrive(store, Array.from({ length: 3 }, (_, index) => randomRow(random, seq + index)), lines);
      if (random() < 0.1) lines.folded.add(oneOf(random, [uuid(2_000_001), uuid(2_000_004)]));
      const seen = new Set();
      for (let place = 0; place < lines.count; place += 1) {
        const key = lines.keyAt(place);
        holds(key !== null && !seen.has(key), `${key} once`);
        seen.add(key);
        same(lines.placeOf(key), place);
      }
      let passing = 0;
      for (let place = 0; place < store.count; place += 1) {
        const slot = store.slotAt(place);
        const is = lines.test(slot);
        if (is) passing += 1;
        same(((store.columns.flags[slot] ?? 0) & flag.passes) !== 0, is);
        if (is && lines.folded.size === 0) holds(seen.has(store.idOf(slot)), "shown");
      }
      same(lines.shown, passing);
      lines.folded.clear();
      lines.layout();
    }
  }
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
  // A heading of 20 pixels, 50 rows: the end is at 1000 - 560.
  holds(isGridAtEnd({ clientHeight: 580, scrollTop: 440 }, 20, 50) && !isGridAtEnd({ clientHeight: 500, scrollTop: 440 }, 20, 50), "the height of now");
  same([scrollToRow(0, 28, 100, 280), scrollToRow(50, 28, 0, 280), scrollToRow(5, 28, 0, 280)], [0, 1148, 0]);
});

Deno.test("a row's tone and status say what happened", () => {
  const pending = row(4, { status: undefined, state: "pending" });
  same(
    [
      row(1),
      row(2, { status: 401, state: "failure" }),
      row(3, { status: undefined, state: "failure" }),
      pending,
      row(5, { status: 503, state: "failure", source: "fault", fault_id: "x" }),
    ].map(rowTone),
    ["plain", "warn", "bad", "muted", "bad"],
  );
  same(rowTone(row(1, { status: 304 })), "info");
  same(rowTone(row(1, { status: 500 })), "bad");
  same(statusLabel(pending), { digits: null, key: "row.pending" });
  same(statusLabel(row(1)), { digits: "200", key: null });
  const failed = { status: undefined, state: /** @type {const} */ ("failure") };
  same(
    ["offline", "timeout", "transport", undefined].map((error) => statusLabel(row(1, { ...failed, error })).key),
    ["row.error.offline", "row.error.timeout", "row.failure", "row.failure"],
    "an error that has a word stands where the status would",
  );
  same(
    [row(1, { path: "/rpc/me", endpoint: "me" }), row(1, { path: "/v1/me", endpoint: "/v1/me" }), row(1, {
      path: "/cues/7",
      endpoint: "/cues/{id}",
    }), row(1, { path: "/cues/7", endpoint: "composed" })].map(endpointLabel),
    ["", "", "/cues/{id}", ""],
    "the endpoint stands there only if there is one that the path does not show",
  );
});

Deno.test("a long path is cut where a sentence names a call", () => {
  same(callName(row(1, { method: "GET", path: "/rpc/me" })), "GET /rpc/me");
  const cut = callName(row(1, { method: "GET", path: `/${"a".repeat(1800)}` }));
  same([cut.length, cut.at(-1)], ["GET ".length + 80, "…"]);
});

Deno.test("what may name somebody in a path is masked", () => {
  for (
    const [path, shown] of [
      ["/rpc/get_cues", "/rpc/get_cues"],
      ["/v1/oauth2", "/v1/•••"],
      ["/v1/people/42/cues", "/v1/people/•••/cues"],
      ["/people/6f1c2d3e-0000-4000-8000-000000000000", "/people/•••"],
      ["/people/ann@example.org", "/people/•••"],
      ["/people/ann%40example.org/v2", "/people/•••/v2"],
      ["/people/‹email:67e610a9›", "/people/‹email:67e610a9›"],
      ["503 GET /rpc/me", "503 GET /rpc/me"],
    ]
  ) same(masked(path ?? ""), shown, path);
});
