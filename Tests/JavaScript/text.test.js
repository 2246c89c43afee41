// @ts-check
import { byteSize, milliseconds, remaining, useWords, Words } from "../../Public/assets/js/helpers/i18n.js";
import { pseudo } from "../../Public/assets/js/helpers/pseudo.js";
import {
  accountFacts,
  hasFeature,
  isConfirmed,
  languagesWithoutProfile,
  profileFacts,
  secondsUntil,
  showsDeveloperTools,
} from "../../Public/assets/js/models/account/account-facts.js";
import { codeLength, offersCode, unexpectedEndReason } from "../../Public/assets/js/models/shell/console-state.js";
import { endOf, isDead } from "../../Public/assets/js/models/inbox/message-end.js";
import {
  isExpired,
  keepSelected,
  newestFirst,
  scanSteps,
  secondsUntilNext,
  spacedCode,
} from "../../Public/assets/js/models/inbox/messages.js";
import { ApiError, once, problemKey, problemOf } from "../../Public/assets/js/api.js";
import { asksAgain, retryPause } from "../../Public/assets/js/models/shell/asking-again.js";
import { backoff, epochOf, EventStreamParser } from "../../Public/assets/js/events.js";
import { catalogueOf, holds, none, same } from "./check.js";

const catalogue = catalogueOf("en");

Deno.test("plural categories choose the sentence, parameters are filled and formatted once", () => {
  const words = new Words({ rows: { one: "{n} row", other: "{n} rows" }, to: "to {who} {n}" });
  same([0, 1, 2, 1200].map((n) => words.text("rows", { n })), ["0 rows", "1 row", "2 rows", "1,200 rows"]);
  same(words.text("to", { who: "{n}", n: 1 }), "to {n} 1", "a value is never a pattern");
  same(words.text("missing.key"), "missing.key");
  same(words.text("toString"), "toString");
});

Deno.test("a language with six categories gets six sentences, a missing one falls to other", () => {
  const forms = { zero: "z", one: "o", two: "t", few: "f", many: "m", other: "x" };
  const words = new Words({ rows: forms, part: { one: "o", other: "x" } }, "ar");
  same([0, 1, 2, 3, 11, 100].map((n) => words.text("rows", { n })).join(""), "zotfmx");
  same(words.text("part", { n: 3 }), "x");
});

Deno.test("words of the other direction are set apart in a sentence from right to left", () => {
  const moved = { moved: "نُقلت «{name}» إلى {stage}", rows: "{n}" };
  const parameters = { name: "The opposite of “expensive”", stage: "قيد التعلّم" };
  same(
    new Words(moved, "ar").text("moved", parameters),
    "نُقلت «\u2068The opposite of “expensive”\u2069» إلى قيد التعلّم",
  );
  same(new Words(moved, "en").text("moved", parameters).includes("\u2068"), false);
  same(new Words(moved, "he").text("rows", { n: "12" }), "12", "digits need nothing");
});

Deno.test("every plural message of the catalogue has every category of English", () => {
  const wanted = new Intl.PluralRules("en").resolvedOptions().pluralCategories.toSorted();
  const bad = Object.entries(catalogue)
    .filter(([, message]) => typeof message === "object")
    .filter(([, message]) => JSON.stringify(Object.keys(message).toSorted()) !== JSON.stringify(wanted));
  none(bad.map(([key]) => key), "categories");
});

Deno.test("pseudo-locales change every word, keep every placeholder and count as English", () => {
  for (const language of ["en-XA", "ar-XB"]) {
    const changed = pseudo(catalogue, language);
    same(Object.keys(changed), Object.keys(catalogue));
    for (const [key, message] of Object.entries(catalogue)) {
      const [before, after] = [JSON.stringify(message), JSON.stringify(changed[key])];
      holds(before !== after, key);
      same(after.match(/\{\w+\}/g), before.match(/\{\w+\}/g), key);
    }
    same(new Words({ n: { one: "{n} row", other: "{n} rows" } }, language).text("n", { n: 1 }).includes("1"), true);
  }
  holds(String(pseudo({ a: "Send link" }, "en-XA").a).length >= "Send link".length * 1.4, "40 % longer");
  holds(String(pseudo({ a: "Send" }, "ar-XB").a).startsWith("\u200f\u202e"), "mirrored");
  same(pseudo({ a: "Send" }, "en"), { a: "Send" });
});

Deno.test("sizes, durations and what is left are written with their units", () => {
  useWords(new Words(catalogue));
  same([0, 999, 1500, 123_456, 2_500_000].map(byteSize), ["0 B", "999 B", "1.5 kB", "123 kB", "2.5 MB"]);
  same([0.4, 42.4, 9999, 12_345].map(milliseconds), ["0.4 ms", "42 ms", "9,999 ms", "12.3 s"]);
  same([byteSize(undefined), milliseconds(null)], ["–", "–"]);
  same([0, -5, 4.2, 59.5, 3600, 90_000, 200_000].map(remaining), [
    "0:00",
    "0:00",
    "0:05",
    "1:00",
    "1:00:00",
    "1 day, 1 hour",
    "2 days, 8 hours",
  ]);
  same([86_399, 86_400, 1_209_595].map(remaining), ["23:59:59", "1 day", "14 days"]);
  useWords(new Words(catalogue, "ar"));
  same(remaining(1_209_600), "14 يومًا");
  useWords(new Words(catalogue));
});

/** @param {string[]} pieces */
const parsed = (pieces) => {
  const parser = new EventStreamParser();
  return pieces.flatMap((piece) => parser.push(piece));
};

Deno.test("a stream cut at every place gives the same events", () => {
  const text =
    '\ufeff: hi\r\nretry: 1000\r\n\r\nid: e-1\nevent: network\ndata: {"a":\ndata: 1}\n\nevent: heartbeat\rdata: {}\r\rid: e-2\ndata\n\nevent: none\n\ndata: cut off';
  const expected = [
    { id: "e-1", event: "network", data: '{"a":\n1}' },
    { id: "e-1", event: "heartbeat", data: "{}" },
    { id: "e-2", event: "message", data: "" },
  ];
  same(parsed([text]), expected);
  for (let at = 0; at <= text.length; at += 1) {
    same(parsed([text.slice(0, at), text.slice(at)]), expected, `cut at ${at}`);
  }
  same(parsed(Array.from(text)), expected, "one by one");
  const pair = [{ id: null, event: "message", data: "a\nb" }];
  same(parsed(Array.from("data: a\r\ndata: b\r\n\r\n.")), pair, "a line end cut in two");
});

Deno.test("the parser keeps the server's delay, and ignores ids with NUL and delays that are no number", () => {
  const parser = new EventStreamParser();
  parser.push("retry: 1500\nretry: soon\nid: a\nid: b\0c\n\n");
  same([parser.retry, parser.lastId], [1500, "a"]);
  same([epochOf("e-f-12"), epochOf("12"), epochOf(null)], ["e-f", null, null]);
});

Deno.test("the wait before a new try is 1 s, doubled up to 10 s, by chance a tenth more or less, and up to 10 s as long as asked", () => {
  same([0, 1, 2, 3, 4, 60].map((attempt) => backoff(attempt, 0.5)), [1000, 2000, 4000, 8000, 10_000, 10_000]);
  same([backoff(0, 0), backoff(0, 1), backoff(60, 0), backoff(60, 1)], [900, 1100, 9000, 10_000]);
  same([backoff(0, 0, 1500), backoff(0, 0, 60_000)], [1500, 10_000]);
});

Deno.test("a problem document gives its members, anything else a code by its status", () => {
  const headers = { retryAfter: "7", requestId: "req" };
  const problem = problemOf(
    429,
    { code: "cooldown", retry_after_seconds: 4, request_id: "own", field: "identifier" },
    headers,
  );
  same([problem.code, problem.retryAfterSeconds, problem.requestId, problem.field, problem.isPassing], [
    "cooldown",
    4,
    "own",
    "identifier",
    true,
  ]);
  same(problemOf(401, null, headers).code, "proxy_session");
  const plain = problemOf(502, null, headers);
  same([plain.code, plain.retryAfterSeconds, plain.requestId], ["unavailable", 7, "req"]);
  same(
    problemOf(422, { code: 5, retry_after_seconds: -1 }, { retryAfter: "soon", requestId: null }).retryAfterSeconds,
    undefined,
  );
  same(new ApiError({ status: 422, code: "x" }).isPassing, false);
});

Deno.test("every code of the console has a sentence, an unknown one gets the general one", () => {
  const codes =
    "invalid_request method_not_allowed payload_too_large unsupported_media_type no_device signed_out access_required " +
    "origin_refused feature_disabled not_replayable not_found conflict session_ended unsynced_edits invalid_identifier " +
    "login_code_invalid login_link_invalid link_untrusted confirmation_mismatch too_many_attempts cooldown too_many_streams " +
    "unexpected_payload pin_mismatch tls_failed signature_rejected backend_error offline unavailable storage_full timeout unreachable";
  /** @param {string} key */
  const has = (key) => Object.hasOwn(catalogue, key);
  none(codes.split(" ").filter((code) => problemKey(code, has) === "error.unknown"), "codes without a sentence");
  same(problemKey("brand_new", has), "error.unknown");
});

Deno.test("messages are newest first, the open one stays open, the code is spoken in halves", () => {
  /** @param {string} id @param {number} second */
  const message = (id, second) => ({
    id,
    to: "a@b.example",
    kind: "login_code",
    subject: "s",
    text: "t",
    delivered_at: new Date(second * 1000).toISOString(),
    expires_at: new Date((second + 600) * 1000).toISOString(),
  });
  const list = newestFirst([message("a", 1), message("b", 2), message("c", 2)]);
  same(list.map((one) => one.id), ["c", "b", "a"]);
  same([keepSelected(list, "a"), keepSelected(list, "gone"), keepSelected([], "a")], ["a", "c", null]);
  same([isExpired(message("a", 0), 599_999), isExpired(message("a", 0), 600_000)], [false, true]);
  same([spacedCode("482913"), spacedCode("1234")], ["482 913", "1234"]);
  /** @param {"used" | "blocked" | "replaced" | "live"} state */
  const ends = (state) => [0, 600_000].map((now) => endOf({ ...message("a", 0), state }, now));
  same(["live", "used", "replaced", "blocked"].map((state) => ends(/** @type {any} */ (state))), [
    [null, "expired"],
    ["used", "used"],
    ["replaced", "replaced"],
    ["blocked", "expired"],
  ]);
  same([undefined, "https://localhost"].map((link) => isDead({ ...message("a", 0), link, state: "blocked" }, 0)), [true, false]);
});

Deno.test("the state says what sign-in offers and which sign-out is worth telling", () => {
  const state = /** @type {any} */ ({
    config: { features: { login_code: false }, auth: { code_length: 8 } },
    session: { state: "signed_out" },
  });
  same([offersCode(state), codeLength(state), offersCode(null), codeLength(null)], [false, 8, true, 6]);
  same(unexpectedEndReason({ state: "signed_out", since: "", reason: "refresh_token_reused" }), "refresh_token_reused");
  same(unexpectedEndReason({ state: "signed_out", since: "", reason: "user" }), null);
  same(unexpectedEndReason({ state: "authenticated", since: "", reason: "refresh_token_reused" }), null);
});

Deno.test("the cards of the account and of its profile leave out what is not known", () => {
  const account = {
    user: { user_id: "u", email: "a@b.example" },
    active_profile: { profile_id: "p", language_code: "de" },
  };
  same(accountFacts(account).map((line) => line.key), [
    "account.email",
    "account.user_id",
  ]);
  same(profileFacts(account).map((line) => [line.key, line.value]), [
    ["account.profile", "Deutsch"],
    ["account.profile_id", "p"],
  ]);
  same(profileFacts({ user: account.user, active_profile: null }), []);
  same([
    secondsUntil("1970-01-01T00:00:09.000Z", 4000),
    secondsUntil("1970-01-01T00:00:01.000Z", 4000),
    secondsUntil(undefined, 0),
  ], [5, 0, null]);
});

Deno.test("flags and roles decide what an account is shown", () => {
  /** @param {Record<string, boolean>} features @param {string[]} roles */
  const account = (features, roles) => ({ user: { user_id: "u", roles }, config: { features } });
  same([
    showsDeveloperTools(account({ developer_tools: true }, ["user", "developer"])),
    showsDeveloperTools(account({ developer_tools: true }, ["user"])),
    showsDeveloperTools(account({ developer_tools: false }, ["developer"])),
    showsDeveloperTools(account({}, ["developer"])),
  ], [true, false, false, false]);
  same([
    hasFeature(account({}, []), "account_deletion"),
    hasFeature(account({ account_deletion: false }, []), "account_deletion"),
  ], [true, false]);
  const config = { supported_languages: [{ code: "en", name: "English" }, { code: "de", name: "Deutsch" }] };
  const profiles = [{ profile_id: "1", language_code: "en" }];
  same(languagesWithoutProfile(profiles, { config }).map((one) => one.code), ["de"]);
  same(languagesWithoutProfile(profiles, { config: null }), []);
});

Deno.test("the word of the language confirms, or the word of the console; no other does", () => {
  /** @param {string} typed */
  const confirms = (typed) => isConfirmed(typed, "LÖSCHEN");
  same(["DELETE", " delete\n", "Löschen", "lo\u0308schen", "ＤＥＬＥＴＥ"].map(confirms), Array(5).fill(true));
  same(["", " ", "DELETED", "de lete", "LÖSCH", "\u202eETELED"].map(confirms), Array(6).fill(false));
});

Deno.test("what is loaded once is kept, and a load that failed is tried again", async () => {
  const answers = [
    () => Promise.reject(new TypeError("Failed to fetch dynamically imported module: /x.js")),
    () => Promise.reject(new TypeError("error loading dynamically imported module: /x.js")),
    () => Promise.reject(new TypeError("Importing a module script failed.")),
    () => Promise.reject(new TypeError("x is not a function")),
    () => Promise.resolve("module"),
  ];
  let loads = 0;
  const load = once(() => answers[loads++]?.() ?? Promise.reject(new Error("loaded again")));
  /** @param {unknown} error */
  const said = (error) => error instanceof ApiError ? error.code : error instanceof Error ? error.message : "";
  const twice = await Promise.all([load().catch(said), load().catch(said)]);
  same(twice, ["unreachable", "unreachable"], "one load for two calls");
  same([await load().catch(said), await load().catch(said)], ["unreachable", "unreachable"]);
  same(await load().catch(said), "x is not a function", "an error of the module itself stays what it is");
  same([await load(), await load(), loads], ["module", "module", 5]);
});

Deno.test("asking again by oneself waits longer each time, and as long as the answer says", () => {
  same([1, 2, 3, 4, 5, 50].map((failures) => retryPause(failures)), [2000, 4000, 8000, 16000, 30000, 30000]);
  same(retryPause(1, 45), 45000);
  same(retryPause(0), 2000);
});

Deno.test("a page asks again after a wait of the backend three times in a row, and after the console's own as long as it takes", () => {
  const wait = { retryAfterSeconds: 20, reason: "backend_wait" };
  same([1, 2, 3, 4].map((waits) => asksAgain({ failures: 9, waits }, wait)), [20_000, 20_000, 20_000, null]);
  same([1, 9].map((failures) => asksAgain({ failures, waits: 0 }, {})), [2000, 30_000]);
  same(asksAgain({ failures: 9, waits: 4 }, { retryAfterSeconds: 1, reason: "database_away" }), 30_000);
});

Deno.test("a scanner's requests are listed with their statuses", () => {
  const steps = [{ method: "HEAD", status: 200 }, { method: "GET", status: 404 }, { method: "GET" }];
  same(scanSteps({ url: "", steps, unchanged: true }), "HEAD 200 · GET 404 · GET –");
});

Deno.test("the wait for the next message is in whole seconds that suffice", () => {
  const entry = {
    identifier: "a",
    sent: 1,
    last_sent_at: "2026-11-21T12:00:00.000Z",
    next_at: "2026-11-21T12:01:00.000Z",
  };
  const at = Date.parse("2026-11-21T12:00:00.000Z");
  same([0, 1, 59_999, 60_000, 90_000].map((passed) => secondsUntilNext(entry, at + passed)), [60, 60, 1, 0, 0]);
});
