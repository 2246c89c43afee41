// @ts-check
import { ApiError, loadAsset } from "../../Public/assets/js/api.js";
import { same } from "./check.js";

/** Answers calls in turn, the last one for good; how many there were. @param {Response[]} answers @param {() => Promise<void>} body */
async function answering(answers, body) {
  const real = globalThis.fetch;
  let calls = 0;
  globalThis.fetch = () => {
    calls += 1;
    const answer = answers[Math.min(calls, answers.length) - 1] ?? Response.error();
    return Promise.resolve(answer.clone());
  };
  try {
    await body();
  } finally {
    globalThis.fetch = real;
  }
  return calls;
}

/** The error of a call that fails. @param {() => Promise<unknown>} call */
const failure = (call) => call().then(() => null, (error) => error);

/** @param {string} reason */
const refusal = (reason) =>
  new Response(JSON.stringify({ code: "unavailable", reason, retry_after_seconds: 0 }), { status: 503 });

Deno.test("a call of a device that moves is made again, and nobody hears of it", async () => {
  const calls = await answering([refusal("moving"), refusal("moving"), Response.json({ a: 1 })], async () => {
    same(await loadAsset("/assets/a.json"), { a: 1 });
  });
  same(calls, 3);
});

Deno.test("a device that moves for too long is a failure", async () => {
  const calls = await answering([refusal("moving")], async () => {
    same(await failure(() => loadAsset("/assets/a.json")) instanceof ApiError, true);
  });
  same(calls, 6);
});

Deno.test("a call that may have been carried out is not made again", async () => {
  for (const reason of ["moved", "database_away"]) {
    const calls = await answering([refusal(reason)], async () => {
      same(await failure(() => loadAsset("/assets/a.json")) instanceof ApiError, true);
    });
    same(calls, 1);
  }
});
