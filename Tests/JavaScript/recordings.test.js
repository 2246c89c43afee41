// @ts-check
import { ExportWish } from "../../Public/assets/js/models/exports/exports.js";
import { searched, searchOf } from "../../Public/assets/js/models/network/body-search.js";
import { found, importTitle, importType, isTitle, pagesOf, truncateTitle } from "../../Public/assets/js/models/recordings/recordings.js";
import { same } from "./check.js";

/** @param {string} id @param {Partial<import("../../Public/assets/js/models/recordings/recordings.js").Recording>} [more] */
const made = (id, more = {}) => ({ id, title: `Recording ${id}`, note: "", created_at: "2026-01-01T00:00:00Z", rows: 1, bytes: 2, ...more });

Deno.test("a file is imported by the end of its name, and else by its type", () => {
  const types = [["a.zip", ""], ["a.HAR", ""], ["a.json", "text/plain"], ["session", "application/json"], ["b", "application/x-zip-compressed"]];
  same(types.map(([name = "", type = ""]) => importType({ name, type })), [
    "application/zip",
    "application/json",
    "application/json",
    "application/json",
    "application/zip",
  ]);
  same([importType({ name: "a.png", type: "image/png" }), importType({ name: "zip", type: "" })], [null, null]);
});

Deno.test("an imported file gives its name without the end as a title, no longer than a title may be", () => {
  same([importTitle("Failed login.zip"), importTitle("a.b.har"), importTitle("v1.2")], ["Failed login", "a.b", "v1.2"]);
  same(importTitle(`${"é".repeat(150)}.zip`), "é".repeat(100));
});

Deno.test("a title has 1 to 200 bytes", () => {
  same(["", "  ", "a", "é".repeat(100), "é".repeat(101)].map(isTitle), [false, false, true, true, false]);
  same(truncateTitle(`  ${"😀".repeat(60)} `), "😀".repeat(50));
});

Deno.test("a search finds every word, in the title, the note, the device or the backend", () => {
  const all = [
    made("1", { title: "Échec de connexion", note: "staging, retry" }),
    made("2", { device_name: "Phone 2", backend_url: "https://staging.example" }),
  ];
  same(["", "echec", "STAGING", "staging phone", "phone retry"].map((text) => found(all, text).map(({ id }) => id)), [
    ["1", "2"],
    ["1"],
    ["1", "2"],
    ["2"],
    [],
  ]);
});

Deno.test("a search in the bodies of a recording finds requests and answers, in letters of either case", () => {
  const rows = [
    { seq: 1, request: { body: "Token" }, response: { body: "" } },
    { seq: 4, request: {}, response: { body: "no TOKEN here" } },
    { seq: 9 },
  ];
  same(searched(rows, "body=token"), { matches: [1, 4], next: 9, done: true });
  const escaped = { seq: 1, response: { body: String.raw`"\u05e9\u05dc"` } };
  same(["של", "u05e9"].map((text) => searched([escaped], searchOf("body", text) ?? "").matches), [[1], [1]]);
  same(searched([], "body=token"), { matches: [], next: 0, done: true });
});

Deno.test("a search in the headers of a recording goes by name, or by name and value", () => {
  const rows = [
    { seq: 1, request: { headers: /** @type {[string, string][]} */ ([["X-Request-ID", "5f3a"]]) } },
    { seq: 2, response: { headers: /** @type {[string, string][]} */ ([["ETag", "W/5f3a"], ["Age", "x-request-id"]]) } },
  ];
  /** @param {string} text */
  const seqs = (text) => searched(rows, searchOf("header", text) ?? "").matches;
  same(seqs("request-id"), [1], "a part of the name");
  same([seqs("ETAG=w/5f"), seqs("tag=w/5f"), seqs("etag=5f3b")], [[2], [], []], "the whole name and a part of the value");
  same(seqs("=5f3a"), [1, 2], "a value of any header");
});

Deno.test("the pages of a recording name it in their address", () => {
  same(pagesOf("a&b"), { network: "/network?recording=a%26b", timeline: "/timeline?recording=a%26b" });
});

Deno.test("an export of a recording names its rows in the address, or is of all where there is no room", () => {
  const log = "/api/recordings/r/network";
  same(new ExportWish({ total: 3 }, log).request, { method: "GET", path: `${log}/export?format=zip` });
  same(new ExportWish({ ids: ["a", "b"], total: 3 }, log).request, { method: "GET", path: `${log}/export?format=zip&ids=a,b` });
  const many = Array.from({ length: 101 }, (_, index) => String(index));
  same(new ExportWish({ ids: many, shown: many, total: 200 }, log).scopes, [{ scope: "all", n: 200 }]);
});
