// @ts-check
import {
  callOf,
  draftOf,
  firstMask,
  isBodyLost,
  isJSON,
  isPath,
  isQuery,
  splitTarget,
  isSafe,
  problemsOf,
} from "../../Public/assets/js/models/exports/composer.js";
import { copiesOf } from "../../Public/assets/js/models/exports/copies.js";
import { exportFacts, ExportWish, fileName } from "../../Public/assets/js/models/exports/exports.js";
import { none, same } from "./check.js";

Deno.test("an export is of what was chosen, else of what the filter shows, else of all", () => {
  same(new ExportWish({ total: 9 }).request, { method: "GET", path: "/api/network/export?format=zip" });
  const shown = new ExportWish({ shown: ["a", "b"], total: 9 });
  same(shown.request, { method: "POST", path: "/api/network/export", body: { format: "zip", ids: ["a", "b"] } });
  const chosen = new ExportWish({ ids: new Set(["b", "c", "b"]), shown: ["a"], total: 9 });
  chosen.format = "har";
  same(chosen.request.body, { format: "har", ids: ["b", "c"] });
  same(chosen.scopes, [{ scope: "selected", n: 2 }, { scope: "shown", n: 1 }, { scope: "all", n: 9 }]);
  same(chosen.count, 2);
  chosen.scope = "all";
  same([chosen.count, chosen.request.path], [9, "/api/network/export?format=har"]);
});

Deno.test("a filter that shows nothing exports nothing, not everything", () => {
  const wish = new ExportWish({ shown: [], total: 9 });
  same([wish.scope, wish.count], ["shown", 0]);
});

Deno.test("a file is named as the console says, and never a path", () => {
  same(fileName('attachment; filename="understudy-20261121-090507.zip"', "zip"), "understudy-20261121-090507.zip");
  for (
    const odd of [null, "", 'attachment; filename="../x"', 'attachment; filename=".bashrc"', "inline", 'filename="a/b"']
  ) {
    same(fileName(odd, "har"), "understudy.har", String(odd));
  }
});

Deno.test("what the console found is read from the head of its answer", () => {
  const headers = new Headers({ "X-Export-Rows": "12", "X-Export-Masks": "34", "X-Export-Secrets": "5" });
  same(exportFacts(headers), { rows: 12, masks: 34, secrets: 5 });
  same(exportFacts(new Headers({ "X-Export-Rows": "1e9" })), { rows: 0, masks: 0, secrets: 0 });
});

const row = {
  id: "r1",
  method: "POST",
  path: "/rpc/x",
  url: "https://backend.test/rpc/x?a=1&b=?",
  request_bytes: 2,
  request: { headers: /** @type {[string, string][]} */ ([["authorization", "Bearer ‹token:0a1b2c3d›"]]), body: "{}" },
};

Deno.test("a row becomes a draft and, unchanged in method and sign-in, is sent again as that row", () => {
  const draft = draftOf(row);
  same(draft, { method: "POST", path: "/rpc/x", query: "a=1&b=?", headers: [], body: "{}", auth: true, confirm: false });
  same(callOf({ ...draft, confirm: true }, row), {
    path: "/api/network/r1/replay",
    body: { path: "/rpc/x", query: "a=1&b=?", headers: [], body: "{}", confirm: true },
  });
  same(callOf({ ...draft, method: "GET" }, row), {
    path: "/api/network/requests",
    body: { path: "/rpc/x", query: "a=1&b=?", headers: [], confirm: false, method: "GET", auth: true },
  });
  same(callOf({ ...draft, auth: false }, row).path, "/api/network/requests");
  const form = { ...draft, headers: /** @type {[string, string][]} */ ([["content-type", "multipart/form-data; boundary=B"]]), body: "--B\n\nx\r\n" };
  same(/** @type {any} */ (callOf(form, null).body).body, "--B\r\n\r\nx\r\n");
  same(isBodyLost(row), false);
  same(isBodyLost({ ...row, request: { body_note: "not kept" } }), true);
});

Deno.test("paths that lead elsewhere are told before they are sent", () => {
  const bad = [
    "",
    "x",
    "//evil",
    "/\\evil",
    "/a#b",
    "/a?b",
    "/a b",
    "/..",
    "/a/../b",
    "/%2e%2e/x",
    "/%252e%252e",
    "/a%2f..%2fb",
  ];
  bad.push("/a%5cb", "/a%0d%0a", "/%", "/é", "https://evil/", "/..;x/y", "/a\nb", "/a%00");
  none(bad.filter(isPath), "taken for paths of the backend");
  const good = ["/", "/rpc/me", "/a%20b", "/a//b", "/x;v=1", "/users/@me", "/@scope/x", "/a%2Fb", "/‹token:0a1b2c3d›/x", "/.hidden"];
  none(good.filter((one) => !isPath(one)), "refused");
});

Deno.test("a pasted address is taken apart", () => {
  same(splitTarget(" /a/b?x=1&y=?z "), { path: "/a/b", query: "x=1&y=?z" });
  same(splitTarget("/a?"), { path: "/a", query: "" });
  same(splitTarget("/a#part"), { path: "/a", query: null });
  same(splitTarget("https://api.example.test:8443/a%2Fb?x=1#part"), { path: "/a%2Fb", query: "x=1" });
  same(splitTarget("https://api.example.test?x"), { path: "/", query: "x" });
  same(splitTarget("rpc/me"), { path: "rpc/me", query: null });
});

Deno.test("queries and bodies are looked at", () => {
  none(["?a", "a#b", "a b", "é", "a\nb"].filter(isQuery), "taken for queries");
  none(["", "a=1&b=%20", "t=‹token:0a1b2c3d›"].filter((one) => !isQuery(one)), "refused");
  same(["", " ", "{}", "[1", "{a:1}"].map(isJSON), [true, true, true, false, false]);
});

Deno.test("what may change something is confirmed first", () => {
  const draft = { method: "DELETE", path: "/x", query: "", headers: [], body: "", auth: true, confirm: false };
  same(problemsOf(draft), [{ field: "confirm", key: "compose.confirm_missing" }]);
  same(problemsOf({ ...draft, confirm: true }), []);
  same(problemsOf({ ...draft, method: "GET" }), []);
  same(problemsOf({ ...draft, path: "//x", query: "?" }).map((one) => one.field), ["path", "query", "confirm"]);
  same([isSafe("GET"), isSafe("POST")], [true, false]);
});

Deno.test("masks of a draft are found", () => {
  same(firstMask(draftOf(row)), null);
  same(firstMask({ ...draftOf(row), body: '{"t":"‹token:0a1b2c3d›"}' }), "‹token:0a1b2c3d›");
  same(firstMask({ ...draftOf(row), body: "‹token:nope›" }), null);
});

Deno.test("headers that the client writes are refused, and those of a composed row are offered again", () => {
  const draft = { method: "GET", path: "/x", query: "", headers: [], body: "", auth: true, confirm: false };
  /** @param {...[string, string]} headers */
  const keys = (...headers) => problemsOf({ ...draft, headers }).map(({ key, at }) => [key, at]);
  same(keys(["X-Flag", "a"], ["Authorization", "b"]), [["compose.header_reserved", 1]]);
  same(keys(["X Flag", "a"], ["", "a"], ["X", "ü"]), [["compose.header_wrong", 0], ["compose.header_wrong", 1], ["compose.header_wrong", 2]]);
  same(keys(["X-Flag", "‹token:0a1b2c3d›"], ["X", ""]), []);
  const many = (/** @type {number} */ count) => Array.from({ length: count }, (_, at) => /** @type {[string, string]} */ ([`X-${at}`, "v"]));
  same([keys(...many(32)), keys(...many(33))], [[], [["compose.headers_limit", undefined]]]);
  same(keys(["X", "v".repeat(8192)]), [["compose.headers_limit", undefined]]);
  const sent = /** @type {[string, string][]} */ ([
    ["Accept", "application/json"],
    ["Content-Type", "text/plain"],
    ["User-Agent", "Understudy/1"],
    ["X-Request-ID", "1"],
    ["X-Flag", "‹header:0a1b2c3d›"],
  ]);
  same(draftOf({ ...row, flow: "compose", request: { headers: sent } }).headers, [["Content-Type", "text/plain"], ["X-Flag", ""]]);
  same(draftOf({ ...row, flow: "account", request: { headers: sent } }).headers, []);
});

Deno.test("what a row has can be copied, and nothing else is offered", () => {
  const keys = (/** @type {import("../../Public/assets/js/models/exports/copies.js").Source} */ source) =>
    copiesOf(source).map((group) => group.map(({ key }) => key));
  same(keys({ id: "r", path: "/x" }), [["url"], ["curl", "swift", "markdown", "har"]]);
  const whole = { ...row, response: { headers: row.request.headers, body: "{}" } };
  same(keys(whole)[2], ["request_headers", "request_body", "response_headers", "response_body"]);
  same(copiesOf(whole)[0]?.[0]?.text, row.url);
  same(copiesOf(whole)[2]?.[0]?.text, "authorization: Bearer ‹token:0a1b2c3d›");
});
