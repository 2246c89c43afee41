// @ts-check
import { RowLines } from "../../Public/assets/js/models/network/row-lines.js";
import { RowStore } from "../../Public/assets/js/models/network/row-store.js";
import { statusLabel, withEnds } from "../../Public/assets/js/models/network/row-view.js";
import { holds, same } from "./check.js";
import { row } from "./rows.js";

/** @param {RowStore} store */
const sequence = (store) => Array.from({ length: store.count }, (_, place) => store.columns.seq[store.slotAt(place)]);

Deno.test("rows that gave way come back in front, and newer ones push them out again", () => {
  const store = new RowStore();
  store.begin({ capacity: 3, dropped: 0, older: 4 });
  const lines = new RowLines(store);
  lines.isGrouped = false;
  lines.take(store.merge([row(5), row(6), row(7)]));
  same([store.isKept, store.dropped, sequence(store)], [true, 4, [5, 6, 7]]);
  store.makeRoom(2, 2);
  lines.take(store.merge([row(3), row(4)]));
  same([sequence(store), store.dropped, lines.keyAt(0)], [[3, 4, 5, 6, 7], 2, "dropped"]);
  lines.take(store.merge([row(8)]));
  same([sequence(store), store.dropped], [[4, 5, 6, 7, 8], 3]);
  store.makeRoom(3, 0);
  lines.take(store.merge([row(1), row(2), row(3)]));
  same([sequence(store), store.dropped, lines.keyAt(0)], [[1, 2, 3, 4, 5, 6, 7, 8], 0, "r1"]);
});

Deno.test("a console that keeps no log says how many rows are lost", () => {
  const store = new RowStore();
  store.begin({ capacity: 3, dropped: 9 });
  same([store.isKept, store.dropped], [false, 9]);
});

Deno.test("a line tells where the console ended; what the page missed there adds none", () => {
  const missed = [{ after: 2, at: 1, missed: 3 }, { after: 7, at: 2, missed: 1 }];
  const at = "2026-01-01T00:00:00Z";
  const end = { after: 2, at: Date.parse(at), missed: null, isEnd: true };
  const both = withEnds(missed, [{ after: 2, at }]);
  same(both, [end, missed[1]]);
  same(withEnds(both, []), [missed[1]]);
});

Deno.test("a row whose answer the end of the console cut off says so in place of its status", () => {
  same(statusLabel(row(1, { state: "cancelled", status: undefined, error: "interrupted" })).key, "row.error.interrupted");
  holds(statusLabel(row(1, { state: "cancelled", status: undefined, error: "timeout" })).key === "row.cancelled", "cancelled");
});
