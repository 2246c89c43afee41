// @ts-check
import { commandsOf, linesOf, originOf } from "../../Public/assets/js/models/sign-in/connecting.js";
import { same } from "./check.js";

/** @param {Partial<import("../../Public/assets/js/models/sign-in/connecting.js").Facts>} changed */
const facts = (changed) => ({ url: "https://staging.example", outcome: "answers", missing: [], ...changed });

Deno.test("an address is an https origin, with or without its scheme", () => {
  same(originOf(" staging.example/ "), "https://staging.example");
  same(originOf("HTTPS://Staging.Example:8443"), "https://staging.example:8443");
  same(originOf("[::1]:8443"), "https://[::1]:8443");
  for (const text of ["", "http://staging.example", "https://staging.example/api", "a@b.example", "https://a.example?", "ftp://a", "a b"]) {
    same(originOf(text), null, text);
  }
});

Deno.test("a backend that answers with all calls has nothing to be done", () => {
  same(linesOf(facts({ clock_ahead_seconds: -60 })), [{ tone: "ok", key: "connect.outcome.answers" }, { tone: "ok", key: "connect.complete" }]);
});

Deno.test("what is wrong or missing is said", () => {
  const wrong = facts({ clock_ahead_seconds: -61, missing: ["logout"] });
  same(linesOf(wrong).slice(1), [
    { tone: "warn", key: "connect.clock", seconds: 61 },
    { tone: "warn", key: "connect.missing", calls: ["logout"] },
  ]);
  const untrusted = facts({ outcome: "untrusted", certificate: { subject: "", issuer: "", problem: "expired" } });
  same(linesOf(untrusted).map(({ tone, key }) => `${tone} ${key}`), ["bad connect.outcome.untrusted", "bad connect.certificate.expired"]);
});

Deno.test("the commands are those that this backend needs", () => {
  same(commandsOf(null), ["understudy serve --backend https://staging.example"]);
  same(commandsOf(facts({ url: "https://a.example:8443" })), ["understudy serve --backend https://a.example:8443"]);
  same(commandsOf(facts({ missing: ["me"] })), [
    "understudy backend-file new > backend.yaml",
    "understudy serve --backend https://staging.example --backend-file backend.yaml",
  ]);
  const certificate = { subject: "", issuer: "", problem: "unknown_authority" };
  same(commandsOf(facts({ certificate, outcome: "untrusted" })), ["understudy serve --backend https://staging.example --ca authority.pem"]);
});
