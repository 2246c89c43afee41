// @ts-check
import { ApiError, problemOf, remedyOf } from "../../Public/assets/js/models/api-error.js";
import { same } from "./check.js";

Deno.test("a key is forgotten only if its device is gone", () => {
  /** @param {Record<string, unknown>} body @param {number} status */
  const remedy = (body, status = 401) => remedyOf(problemOf(status, body, { retryAfter: null, requestId: null }));
  same(remedy({ code: "no_device", reason: "device_unknown" }), "forget");
  same(remedy({ code: "no_device", reason: "browser_unknown" }), "recover");
  same(remedy({ code: "no_device" }), null);
  same(remedy({ code: "no_device", reason: 1 }), null);
  same(remedy({ code: "access_required", reason: "device_unknown" }), null);
  same(remedy({}, 431), null);
  for (const error of [null, undefined, "no_device", new Error("no_device"), new ApiError({ status: 0, code: "aborted" })]) {
    same(remedyOf(error), null);
  }
});
