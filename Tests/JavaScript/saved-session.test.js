// @ts-check
import { answerOf, endOf } from "../../Public/assets/js/models/network/saved-session.js";
import { same } from "./check.js";

const rows = [1, 2, 3].map((seq) => ({ id: `d/${seq}`, seq, started_at: `2026-11-21T09:00:0${seq}.000Z` }));
const about = { understudy: "1.0", backend: "https://b.test", embedded: false, created_at: "2026-11-22T00:00:00.000Z", rows: 0, dropped: 7 };
const session = { rows, happenings: [{ seq: 1 }], rules: [{ id: "f" }], explanation: { verdict: "unknown" }, about, words: { de: { common: { a: "A" } } } };

/** @param {string} path @returns {any} */
const ask = (path) => answerOf(session, path);

Deno.test("a saved session answers what the pages ask of a recording", () => {
  same(ask("/api/recordings/export/network?limit=100"), { events: rows, next: 3, capacity: 3, dropped: 7 });
  same(ask("/api/recordings/export/network?limit=2000&after=2").events, rows.slice(2));
  same(ask("/api/recordings/export/network?limit=2000&after=3"), { events: [], next: 3, capacity: 3, dropped: 7 });
  same(ask("/api/recordings/export/network/d%2F2"), rows[1]);
  same(ask("/api/recordings/export/network/export?format=json"), rows);
  same(ask("/api/recordings/export/timeline"), { entries: [{ seq: 1 }] });
  same(ask("/api/recordings/export/faults"), { faults: [{ id: "f" }] });
  same(ask("/api/recordings/export/explain"), { verdict: "unknown" });
  same(ask("/api/state").backend, { url: "https://b.test", embedded: false });
  same(ask("/assets/locales/de/common.json"), { a: "A" });
});

Deno.test("what a saved session does not have is not answered", () => {
  for (
    const path of ["/api/recordings/export/network/d4", "/api/recordings", "/api/faults", "/assets/locales/de/none.json", "/assets/locales/xx/common.json"]
  ) same(ask(path), undefined, path);
});

Deno.test("a saved session ends with its last row, or when it was saved", () => {
  same(endOf(session), "2026-11-21T09:00:03.000Z");
  same(endOf({ ...session, rows: [] }), about.created_at);
});
