// @ts-check
import { currentWords, faultName, useWords, Words } from "../../Public/assets/js/helpers/i18n.js";
import { grouped, kindGroups, moves, presetGroups } from "../../Public/assets/js/models/faults/fault-groups.js";
import { faultSentence, presetIds } from "../../Public/assets/js/elements/faults/fault-words.js";
import {
  afterHit,
  fieldsOf,
  isOfTheDevice,
  isOfUse,
  kinds,
  meaning,
  ruleOf,
  secondsLeft,
} from "../../Public/assets/js/models/faults/faults.js";
import { catalogueOf, holds, languages, none, same } from "./check.js";

/** @typedef {import("../../Public/assets/js/models/faults/faults.js").Fault} Fault */

const english = catalogueOf("en");

/** @param {Record<string, unknown>} [changes] */
const fault = (changes = {}) => /** @type {Fault} */ ({
  id: "1",
  name: "Mine",
  match: {},
  when: {},
  action: { kind: "offline" },
  armed_at: "2026-11-21T12:00:00.000Z",
  expires_at: "2026-11-21T12:15:00.000Z",
  hits: 0,
  state: "armed",
  ...changes,
});

Deno.test("a form describes a rule, and fields that a kind does not use say nothing", () => {
  const { draft, problems } = ruleOf({
    kind: "status",
    method: "POST",
    endpoint: " /rpc/update_cue_stage ",
    status: "503",
    every: "2",
    count: "3",
    probability: "",
    skew_seconds: "9",
    expires: "60",
    name: "",
  });
  same(problems, {});
  same(draft, {
    match: { method: "POST", endpoint: "/rpc/update_cue_stage" },
    when: { every: 2, count: 3 },
    action: { kind: "status", status: 503 },
    expires_in_seconds: 60,
  });
});

Deno.test("a number is read strictly, and a wrong one is named with its range", () => {
  for (const wrong of ["299", "600", "5e2", "503.0", "0x1f7", "٥٠٣", "-1", "1".repeat(17), "abc"]) {
    same(ruleOf({ kind: "status", status: wrong }).problems, {
      status: { key: "fault.number_bad", low: 300, high: 599 },
    }, wrong);
  }
  same(Object.keys(ruleOf({ kind: "latency" }).problems), ["latency_ms"]);
  same(Object.keys(ruleOf({ kind: "clock_skew", skew_seconds: "0" }).problems), ["skew_seconds"]);
  same(ruleOf({ kind: "clock_skew", skew_seconds: "-600" }).draft.action.skew_seconds, -600);
  same(Object.keys(ruleOf({ kind: "offline", endpoint: "a b" }).problems), ["endpoint"]);
  same(Object.keys(ruleOf({ kind: "status", code: "a-b" }).problems), ["code"]);
  same(ruleOf({ kind: "offline", probability: "25", seed: "7" }).draft.when, { probability: 0.25, seed: 7 });
});

Deno.test("what is about the whole device is not narrowed", () => {
  for (const kind of Object.keys(kinds).filter(isOfTheDevice)) {
    const { draft } = ruleOf({ kind, method: "GET", endpoint: "me", skip: "1", count: "2", skew_seconds: "5" });
    // A clock is wrong all the time.
    same([draft.match, draft.when], [{}, kind === "clock_skew" ? {} : { count: 2 }]);
  }
});

Deno.test("a rule that is put into the form and read again is the same rule", () => {
  const rule = fault({
    match: { method: "GET", endpoint: "me" },
    when: { skip: 1, every: 2, count: 3, probability: 0.4, seed: 99 },
    action: { kind: "rate_limit", retry_after_seconds: 7, latency_ms: 20, code: "slow_down" },
  });
  const { draft, problems } = ruleOf({ kind: "", ...fieldsOf(rule) });
  same(problems, {});
  same([draft.match, draft.when, draft.action], [rule.match, rule.when, rule.action]);
  same([draft.expires_in_seconds, ruleOf(fieldsOf(fault({ expires_at: undefined }))).draft.expires_in_seconds], [
    900,
    0,
  ]);
});

Deno.test("a sentence says what a rule means", () => {
  useWords(new Words(english));
  const every = fault({
    match: { method: "POST", endpoint: "/rpc/update_cue_stage" },
    when: { every: 2, count: 3 },
    action: { kind: "status", status: 503 },
  });
  same(
    faultSentence(every),
    "POST calls to /rpc/update_cue_stage: the response has status 503. Only every second one is affected. It happens 3 times, then it stops.",
  );
  same(faultSentence({ action: { kind: "expire_access_token" } }).endsWith("It happens once, then it stops."), true);
  same(
    faultSentence({ action: { kind: "latency", latency_ms: 1500 }, when: { skip: 1, probability: 0.7 } }),
    "All calls: sent 1,500 ms late. The first one is skipped. This affects 70 % of calls.",
  );
  same(
    faultSentence({ action: { kind: "timeout", latency_ms: 2000 }, match: { method: "GET" } }),
    "All GET calls: nothing is sent, and no response comes before the timeout. The timeout is 2,000 ms.",
  );
});

Deno.test("every kind, condition and preset has its words in every language", () => {
  /** @type {string[]} */
  const wrong = [];
  const presets = Array.from(
    Deno.readTextFileSync(new URL("../../Sources/Client/Faults/FaultPreset.swift", import.meta.url))
      .matchAll(/FaultPreset\(\s*"([a-z-]+)"/g),
    (match) => match[1],
  );
  holds(presets.length > 10, "the presets of the console");
  for (const code of languages) {
    useWords(new Words(catalogueOf(code), code));
    for (const kind of Object.keys(kinds)) {
      for (const match of [{}, { method: "GET" }, { endpoint: "me" }, { method: "GET", endpoint: "me" }]) {
        const text = faultSentence({
          match,
          when: { skip: 2, every: 3, count: 4, probability: 0.5 },
          action: { kind, code: "x", latency_ms: 5 },
        });
        if (/fault\.|\{\w+\}|undefined|NaN/.test(text)) wrong.push(`${code} ${kind}: ${text}`);
      }
    }
    same(presetIds(), presets, `the presets in ${code}`);
    for (const id of presets) {
      if (!currentWords().has(`fault.effect.${id}`)) wrong.push(`${code} ${id} has no effect`);
      if (faultName(fault({ preset: id })).startsWith("fault.")) wrong.push(`${code} ${id}`);
    }
  }
  none(wrong, "sentences with holes");
  same(faultName(fault({ name: "<b>Mine</b>" })), "<b>Mine</b>");
});

Deno.test("a hit changes one rule, anything else asks for the list anew", () => {
  const faults = [fault(), fault({ id: "2" })];
  same(afterHit(faults, { kind: "hit", id: "2", hits: 4, state: "spent" })?.map((one) => [one.hits, one.state]), [
    [0, "armed"],
    [4, "spent"],
  ]);
  same([afterHit(faults, { kind: "changed" }), afterHit(faults, { kind: "hit", id: "9" })], [null, null]);
});

Deno.test("what is left is counted by the console's clock and never negative", () => {
  const end = Date.parse("2026-11-21T12:15:00.000Z");
  same([end - 61_001, end - 1, end, end + 5].map((now) => secondsLeft(fault(), now)), [62, 1, 0, 0]);
  same(secondsLeft(fault({ expires_at: undefined }), 0), null);
  holds(meaning(fault()).sentences.length === 1, "no conditions, one sentence");
});

Deno.test("every preset and every kind stands in one group", () => {
  useWords(new Words(english));
  same(Object.values(presetGroups).flat().toSorted(), presetIds().toSorted());
  same(Object.values(kindGroups).flat().toSorted(), Object.keys(kinds).toSorted());
});

Deno.test("the rules of a preset are one fault, armed while one of them is", () => {
  const rules = [
    fault({ id: "a", preset: "train-wifi", hits: 2, state: "off" }),
    fault({ id: "b" }),
    fault({ id: "c", preset: "train-wifi", hits: 3 }),
    fault({ id: "d", preset: "airplane", state: "spent" }),
  ];
  const found = grouped(rules);
  same(found.map(({ key, state, hits }) => [key, state, hits]), [["train-wifi", "armed", 5], ["b", "armed", 0], [
    "airplane",
    "spent",
    0,
  ]]);
  same(found[0]?.rules.map(({ id }) => id), ["a", "c"]);
  same(grouped([fault({ state: "off" }), fault({ id: "2", state: "expired" })]).map(({ state }) => state), [
    "off",
    "expired",
  ]);
});

Deno.test("a fault moves with all of its rules", () => {
  const rules = [
    fault({ id: "x" }),
    fault({ id: "a", preset: "train-wifi" }),
    fault({ id: "b", preset: "train-wifi" }),
    fault({ id: "y" }),
  ];
  for (const [at, step, wanted] of /** @type {[number, -1 | 1, string][]} */ ([[1, -1, "abxy"], [0, 1, "abxy"], [1, 1, "xyab"]])) {
    const order = rules.map(({ id }) => id);
    for (const { id, position } of moves(grouped(rules), at, step)) {
      order.splice(order.indexOf(id), 1);
      order.splice(position, 0, id);
    }
    same(order.join(""), wanted);
  }
  same(moves(grouped(rules), 0, -1), []);
});

Deno.test("a form has only the fields that matter for its kind", () => {
  /** @param {Record<string, string>} fields */
  const fieldsOfUse = (fields) =>
    ["method", "endpoint", "status", "code", "retry_after_seconds", "latency_ms", "skew_seconds", "skip", "count", "seed"]
      .filter((name) => isOfUse(name, fields));
  same(fieldsOfUse({ kind: "clock_skew" }), ["skew_seconds"]);
  same(fieldsOfUse({ kind: "storage_full" }), ["count"]);
  same(fieldsOfUse({ kind: "offline" }), ["method", "endpoint", "latency_ms", "skip", "count"]);
  same(fieldsOfUse({ kind: "offline", probability: "50" }).includes("seed"), true);
  same(fieldsOfUse({ kind: "revoke_refresh_token" }), ["code", "latency_ms", "skip", "count"]);
  same(isOfUse("retry_after_seconds", { kind: "status", status: "404" }), false);
  same(isOfUse("retry_after_seconds", { kind: "status", status: "503" }), true);
  same(ruleOf({ kind: "revoke_refresh_token", seed: "" }).draft.match, {});
});
