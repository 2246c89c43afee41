// @ts-check
import { ApiError, isUnknown, problemOf } from "../../Public/assets/js/api.js";
import { recover } from "../../Public/assets/js/recovery.js";
import { same } from "./check.js";

/** @param {Record<string, unknown>} body @param {number} status */
const problem = (body, status = 401) => problemOf(status, body, { retryAfter: null, requestId: null });
const browserUnknown = problem({ code: "no_device", reason: "browser_unknown" });
const deviceUnknown = problem({ code: "no_device", reason: "device_unknown" });

Deno.test("a device is gone only if the console says so of the device", () => {
  same(isUnknown(deviceUnknown, "device"), true);
  same(isUnknown(browserUnknown, "browser"), true);
  const others = [
    browserUnknown,
    problem({ code: "no_device" }),
    problem({ code: "no_device", reason: 1 }),
    problem({ code: "access_required", reason: "device_unknown" }),
    problem({}, 431),
    new ApiError({ status: 0, code: "aborted" }),
    { code: "no_device", reason: "device_unknown" },
    null,
  ];
  for (const error of others) same(isUnknown(error, "device"), false);
});

/** A device of the browser. @param {string} name */
const named = (name) => ({ device_id: name, device_key: `key ${name}`, name });
const held = ["a", "b", "c"].map(named);

/**
 * Recovers against a console that answers so; the calls that were made and the devices that were kept.
 * @param {unknown} first the answer to the look whether the browser is known again, or the error
 * @param {unknown} second
 */
async function recovered(first, second) {
  /** @type {string[]} */
  const calls = [];
  /** @type {unknown} */
  let kept = null;
  const answers = [first, second];
  await recover(
    held[0] ?? never(),
    (method, path, options) => {
      calls.push(`${method} ${path} ${JSON.stringify(options)}`);
      const answer = answers.shift();
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    },
    held,
    (list) => kept = list,
    (error) => isUnknown(error, "browser"),
  );
  return { calls, kept };
}

/** @returns {never} */
function never() {
  throw new Error("there is a device");
}

Deno.test("a browser proves the keys that it has and drops those of devices that are gone", async () => {
  const { calls, kept } = await recovered(browserUnknown, { devices: [], unknown: [1] });
  same(calls, [
    'GET /api/devices {"key":"key a"}',
    'POST /api/browser {"body":{"device_keys":["key a","key b","key c"]}}',
  ]);
  same(kept, [held[0], held[2]]);
  for (const answer of [null, {}, { unknown: "012" }, { unknown: [7, -1, "0"] }]) {
    same((await recovered(browserUnknown, answer)).kept, held);
  }
});

Deno.test("nothing is proved where another tab was first, and nothing is dropped upon an error", async () => {
  same(await recovered({ devices: [] }, null), { calls: ['GET /api/devices {"key":"key a"}'], kept: null });
  for (const [first, second] of [[deviceUnknown, null], [browserUnknown, problem({ code: "access_required" })]]) {
    let failed = false;
    await recovered(first, second).catch(() => failed = true);
    same(failed, true);
  }
});

Deno.test("a person with more devices than a call proves keeps the keys of the rest, and the failed call's device is proved", async () => {
  const many = Array.from({ length: 25 }, (_, number) => named(`device ${number}`));
  const last = many[24] ?? never();
  /** @type {string[]} */
  let proved = [];
  /** @type {unknown} */
  let kept = null;
  await recover(
    last,
    (method, _, options) => {
      if (method === "GET") return Promise.reject(browserUnknown);
      proved = /** @type {any} */ (options.body).device_keys;
      return Promise.resolve({ devices: [], unknown: [1] });
    },
    many,
    (list) => kept = list,
    (error) => isUnknown(error, "browser"),
  );
  same([proved.length, proved[0]], [20, "key device 24"]);
  same(kept, many.slice(1));
});
