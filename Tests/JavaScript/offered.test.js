// @ts-check
import { bodyOf, faultyField, fieldsOfStep, pathOf, waysOf } from "../../Public/assets/js/models/sign-in/offered.js";
import { lacks } from "../../Public/assets/js/models/shell/console-state.js";
import { whyHidden } from "../../Public/assets/js/models/shell/missing-calls.js";
import { kindGroups, lackedBy, presetGroups } from "../../Public/assets/js/models/faults/fault-groups.js";
import { holds, same } from "./check.js";

/** @param {...[string, ...string[]]} calls */
const ways = (...calls) => waysOf(calls.map(([call, ...fields]) => ({ call, fields })));

/** The way that the calls make. @param {...[string, ...string[]]} calls */
function onlyWay(...calls) {
  const [way] = ways(...calls);
  if (!way) throw new Error("no way");
  return way;
}

Deno.test("the ways to sign in are those that the file can complete, in its order", () => {
  same(
    ways(
      ["login_with_password", "identifier", "password"],
      ["request_login_code", "identifier"],
      ["login_with_code", "code"],
      ["request_magic_link", "identifier"],
    ),
    [
      { kind: "password", request: null, complete: ["identifier", "password"] },
      { kind: "code", request: ["identifier"], complete: ["code"] },
    ],
  );
  same(ways(), []);
});

Deno.test("a link that the file cannot request is pasted in the only step", () => {
  const way = onlyWay(["login_with_magic_token", "link"]);
  same(fieldsOfStep(way, false, []), ["link"]);
  same(pathOf(way, false), "/api/login/magic-link/complete");
  same(bodyOf(way, false, { identifier: "ada", link: "https://app.example/callback?code=x" }), {
    url: "https://app.example/callback?code=x",
  });
});

Deno.test("a code whose request asks for a password asks for it first, and does not ask twice", () => {
  const way = onlyWay(["request_login_code", "identifier", "password"], ["login_with_code", "identifier", "code"]);
  const values = { identifier: "ada", password: "hush", code: "123456" };
  same(fieldsOfStep(way, false, ["identifier"]), ["identifier", "password"]);
  same(pathOf(way, false), "/api/login/code");
  same(bodyOf(way, false, values), { identifier: "ada", password: "hush" });
  same(fieldsOfStep(way, true, ["identifier", "password"]), ["code"]);
  same(pathOf(way, true), "/api/login/code/verify");
  same(bodyOf(way, true, values), { identifier: "ada", code: "123456" });
});

Deno.test("the second step asks for what was lost in a reload, and names the identifier even if the file does not", () => {
  const way = onlyWay(["request_login_code", "identifier"], ["login_with_code", "password", "code"]);
  same(fieldsOfStep(way, true, ["identifier"]), ["password", "code"]);
  same(bodyOf(way, true, { identifier: "ada", password: "hush", code: "KBQM-JXLT" }), {
    identifier: "ada",
    password: "hush",
    code: "KBQM-JXLT",
  });
});

Deno.test("a password is sent once, with the identifier", () => {
  const way = onlyWay(["login_with_password", "identifier", "password"]);
  same(fieldsOfStep(way, false, []), ["identifier", "password"]);
  same(pathOf(way, false), "/api/login/password");
  same(bodyOf(way, false, { identifier: "ada", password: "hush", code: "1" }), { identifier: "ada", password: "hush" });
});

Deno.test("an identifier that no call asks for is not sent", () => {
  const values = { identifier: "typed for another way", password: "hush", code: "1" };
  const way = onlyWay(["login_with_password", "password"]);
  same(fieldsOfStep(way, false, []), ["password"]);
  same(bodyOf(way, false, values), { password: "hush" });
  const byCode = onlyWay(["request_login_code"], ["login_with_code", "code"]);
  same(fieldsOfStep(byCode, false, []), []);
  same(bodyOf(byCode, false, values), {});
  same(bodyOf(byCode, true, values), { code: "1" });
});

Deno.test("a failure stands at the field that it is about", () => {
  same(faultyField({ code: "password_invalid", field: "password" }, ["identifier", "password"]), "password");
  same(faultyField({ code: "password_invalid" }, ["identifier", "password"]), "password");
  same(faultyField({ code: "invalid_identifier" }, ["identifier", "password"]), "identifier");
  same(faultyField({ code: "link_malformed", field: "url" }, ["link"]), "link");
  same(faultyField({ code: "login_code_invalid" }, ["code"]), "code");
  same(faultyField({ code: "unreachable" }, ["identifier", "password"]), "password");
  same(faultyField({ code: "unreachable" }, []), null);
});

Deno.test("what the backend lacks is known from the state, and the reason names the calls", () => {
  /** @type {any} */
  const state = { config: { hidden: ["refresh", "cues"] } };
  holds(lacks(state, "refresh"), "refresh");
  holds(!lacks(state, "profiles"), "profiles");
  holds(!lacks(null, "refresh"), "before the state is known");
  holds(!lacks(/** @type {any} */ ({ config: null }), "refresh"), "before the configuration is known");
  same(whyHidden("refresh"), { key: "offer.missing", parameters: { call: "refresh_tokens" } });
  same(whyHidden("profiles"), {
    key: "offer.missing_either",
    parameters: { call: "get_or_create_account_profile", other: "set_active_profile" },
  });
});

Deno.test("presets and kinds that need a refresh are hidden without one, and no others", () => {
  const presets = Object.values(presetGroups).flat();
  const named = [...presets, ...Object.values(kindGroups).flat()];
  same(named.filter((one) => lackedBy(one, ["cues", "refresh"])), [
    "refresh-revoked",
    "revoke_refresh_token",
  ]);
  same(named.filter((one) => lackedBy(one, ["sign_in_password"])), []);
});
