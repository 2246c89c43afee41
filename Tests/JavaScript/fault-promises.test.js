// @ts-check
import { marks, parts } from "../../Public/assets/js/models/explain/explanation.js";
import { FaultedCalls, promisesOf } from "../../Public/assets/js/models/faults/fault-promises.js";
import { Words } from "../../Public/assets/js/helpers/i18n.js";
import { catalogueOf, holds, languages, none, same } from "./check.js";

/** @typedef {import("../../Public/assets/js/models/explain/explanation.js").ClientPromise} ClientPromise */

/** @param {string} kind @param {number[]} rows @param {Partial<ClientPromise>} [more] @returns {ClientPromise} */
const promise = (kind, rows, more = {}) => ({
  kind,
  kept: true,
  rows,
  say: "",
  at: "2026-03-12T06:14:03.877Z",
  fault_id: "one",
  sentence: `promise_${kind}`,
  values: {},
  ...more,
});

/** @param {ClientPromise[]} promises @param {...string} ids */
const shown = (promises, ...ids) => promisesOf(promises, ids).map(({ kind, rows, kept }) => `${kind} ${rows} ${kept}`);

Deno.test("a fault shows the newest promise of each kind, the one that says most about it first", () => {
  const all = [
    promise("attempt_limit", [1, 2]),
    promise("retry_after", [1, 2]),
    promise("backoff", [1, 2]),
    promise("retry_after", [5, 6]),
    promise("offline_fails_fast", [7]),
    promise("retry_after", [8, 9], { fault_id: "two" }),
    promise("backoff", [9], { fault_id: undefined }),
  ];
  same(shown(all, "one"), ["retry_after 5,6 true", "backoff 1,2 true", "offline_fails_fast 7 true"]);
  same(shown(all, "one", "two"), ["retry_after 8,9 true", "backoff 1,2 true", "offline_fails_fast 7 true"]);
  same(shown(all, "three"), []);
  same(shown(all.slice(0, 3), "one"), ["retry_after 1,2 true", "attempt_limit 1,2 true"], "one pause");
});

Deno.test("a promise that was broken is shown first, whatever was kept since", () => {
  const all = [
    promise("backoff", [1, 2], { kept: false }),
    promise("backoff", [3, 4], { kept: false }),
    promise("backoff", [5, 6]),
    promise("retry_after", [5, 6]),
  ];
  same(shown(all, "one"), ["backoff 3,4 false", "retry_after 5,6 true"]);
});

Deno.test("only the end of an attempt of a call on which a fault acted is news", () => {
  const calls = new FaultedCalls();
  holds(!calls.take({ call_id: "a", state: "success" }), "a call without a fault");
  holds(!calls.take({ call_id: "b", fault_id: "one", state: "pending" }), "an attempt under way");
  holds(calls.take({ call_id: "b", fault_id: "one", state: "failure" }), "an attempt on which a fault acted");
  holds(!calls.take({ call_id: "b", state: "waiting" }), "the next attempt before its end");
  holds(calls.take({ call_id: "b", state: "success" }), "the next attempt");
  holds(!calls.take({}), "a row without a call");
});

Deno.test("what the client did is said with the waits in every language", () => {
  const values = { asked: { span_ms: 2000 }, waited: { span_ms: 2100 } };
  /** @type {string[]} */
  const wrong = [];
  for (const code of languages) {
    const found = parts(new Words(catalogueOf(code), code).text("explain.promise_retry_after", marks(values)), values);
    const spans = found.flatMap((part) => typeof part === "string" ? [] : [part.span_ms]);
    if (spans.join() !== "2000,2100" || found.some((part) => typeof part === "string" && /[{}]/.test(part))) {
      wrong.push(`${code}: ${JSON.stringify(found)}`);
    }
  }
  none(wrong, "sentences");
  const words = new Words(catalogueOf("en"));
  same(parts(words.text("explain.promise_retry_after", marks(values)), values), [
    "Asked to wait ",
    { span_ms: 2000 },
    ", waited ",
    { span_ms: 2100 },
  ]);
  same(words.text("explain.promise_attempts", marks({ count: { count: 3 } })), "Attempts: 3 of at most 3");
});
