// @ts-check
import { endOf, evidenceOf, findingOf, inOneUnit, marks, parts, toneOf, usesOf } from "../../Public/assets/js/models/explain/explanation.js";
import { Words } from "../../Public/assets/js/helpers/i18n.js";
import { catalogueOf, holds, languages, none, same, sectionsOf } from "./check.js";

/** @typedef {import("../../Public/assets/js/models/explain/explanation.js").Explanation} Explanation */

/** @param {string} time */
const at = (time) => `2026-03-12T${time}Z`;

/** @type {Explanation} */
const raced = {
  verdict: "signed_out",
  findings: [
    {
      kind: "refresh_race",
      rows: [5, 8],
      say: "",
      at: at("06:14:03.877"),
      sentence: "refresh_race",
      values: { second: { row: 8 }, first: { row: 5 }, gap: { span_ms: 124 }, code: { text: "invalid_grant" } },
    },
    { kind: "sent_after_sign_out", rows: [9], say: "", at: at("06:20:00.000"), sentence: "sent_after_sign_out", values: {} },
  ],
  families: [],
  missing: [],
  lacks: [],
  evidence: [
    { row: 5, at: at("06:14:03.491"), method: "POST", path: "/rpc/refresh_tokens", status: 200 },
    { row: 8, at: at("06:14:03.615"), method: "POST", path: "/rpc/refresh_tokens" },
  ],
};

Deno.test("a session ended with its cause, not with a mistake after it", () => {
  same(endOf(raced), at("06:14:03.877"));
  same(endOf({ ...raced, findings: [] }), undefined);
});

Deno.test("a notice tells of the end that is near to that of the session", () => {
  same(findingOf(raced, at("06:14:04.000"))?.kind, "refresh_race");
  same(findingOf(raced, at("06:20:00.000")), undefined);
  same(findingOf(raced, at("07:14:04.000")), undefined);
  const [race] = raced.findings;
  const ends = race ? [race, { ...race, kind: "refresh_refused", at: at("06:14:43.000") }, { ...race, kind: "user_signed_out", at: at("06:14:05.000") }] : [];
  const both = { ...raced, findings: ends };
  same(findingOf(both, at("06:14:05.000"))?.kind, "refresh_race", "the nearest end that nobody asked for");
  same(findingOf(both, at("06:14:42.000"))?.kind, "refresh_refused");
});

Deno.test("only an end that the user did not ask for is a warning", () => {
  const [race] = raced.findings;
  same(toneOf(raced), "warn");
  same(toneOf({ ...raced, verdict: "session_kept", findings: [] }), "ok");
  same(toneOf({ ...raced, verdict: "unknown", findings: [] }), "info");
  same(toneOf({ ...raced, findings: race ? [{ ...race, kind: "user_signed_out" }] : [] }), "info");
});

Deno.test("rows have their distance from the row before", () => {
  same(evidenceOf(raced).map((row) => row.since), [null, 124]);
});

Deno.test("the uses of a refresh token are in the order of time", () => {
  /** @type {import("../../Public/assets/js/models/explain/explanation.js").Use[]} */
  const uses = [
    { row: 5, at: at("06:14:03.491"), what: "sent" },
    { row: 5, at: at("06:14:03.729"), what: "replaced" },
    { row: 5, at: at("06:14:03.729"), what: "issued" },
    { row: 8, at: at("06:14:03.615"), what: "sent" },
    { row: 8, at: at("06:14:03.877"), what: "refused" },
  ];
  same(usesOf({ uses }).map(({ row, what }) => `${row} ${what}`), ["5 sent", "8 sent", "5 replaced", "5 issued", "8 refused"]);
});

Deno.test("the values of a sentence keep their places in every language", () => {
  const values = raced.findings[0]?.values ?? {};
  /** @type {string[]} */
  const wrong = [];
  for (const code of languages) {
    const text = new Words(catalogueOf(code), code).text("explain.refresh_race", marks(values));
    const found = parts(text, values);
    const rows = found.filter((part) => typeof part !== "string" && part.row !== undefined);
    if (found.filter((part) => typeof part !== "string").length !== 4 || rows.length !== 2) wrong.push(`${code}: ${text}`);
    if (found.some((part) => typeof part === "string" && /[\uE000\uE001{}\u2068\u2069]/.test(part))) wrong.push(`${code}: ${text}`);
    const order = rows.map((part) => typeof part === "string" ? 0 : part.row);
    if (order.join() !== "5,8") wrong.push(`${code}: rows ${order}`);
  }
  none(wrong, "sentences");
});

Deno.test("a count chooses the form of the sentence", () => {
  const words = new Words(catalogueOf("en"));
  const text = (/** @type {number} */ count) => {
    const values = { last: { row: 7 }, count: { count }, code: { text: "x" } };
    return parts(words.text("explain.refresh_not_a_verdict", marks(values)), values)[0];
  };
  same([text(1), text(3)], ["The refresh failed once, in row ", "The refresh failed 3 times, the last time in row "]);
});

Deno.test("every use of a refresh token has its word", () => {
  const words = sectionsOf("en").explain ?? {};
  for (const what of ["issued", "sent", "replaced", "refused", "lost"]) holds(words[`explain.${what}`], what);
  for (const verdict of ["signed_out", "session_kept", "unknown"]) holds(words[`explain.${verdict}`], verdict);
  for (const token of ["access", "refresh", "identity"]) holds(words[`explain.token.${token}`], token);
});

Deno.test("a length of time has one unit, as the engine says it", () => {
  same(
    [124, 999, 1900, 30_000, 59_999, 60_000, 2_291_000, 5_400_000, 201_600_000].map((length) => {
      const { value, unit } = inOneUnit(length);
      return `${value} ${unit}`;
    }),
    ["124 millisecond", "999 millisecond", "1.9 second", "30 second", "60 second", "1 minute", "38 minute", "1.5 hour", "2.3 day"],
  );
});
