// @ts-check
import {
  comparePage,
  comparePath,
  countsOf,
  isRefresh,
  linesOf,
  logPage,
  ofKind,
  outcomeOf,
  rowPathIn,
} from "../../Public/assets/js/models/recordings/comparison.js";
import { same } from "./check.js";

/** @typedef {import("../../Public/assets/js/models/recordings/comparison.js").Difference} Difference */

/** @param {Difference["kind"]} kind @param {string} path @param {number} [first] @param {number} [second] @returns {Difference} */
const difference = (kind, path, first, second) => ({
  kind,
  call: { method: "GET", path, first, second },
  ...(kind === "shape" || kind === "timing" ? { first: "200", second: "200" } : {}),
});

/** @param {Difference[]} differences */
const shown = (differences) =>
  linesOf(differences).map(({ call, differences: all }) => `${call.path} ${all.map(({ kind }) => kind).join("+")}`);

Deno.test("calls stand in order, what only one log has between what both have", () => {
  // a gone b c new d | the first has a gone b c d, the second a b c new d.
  same(
    shown([
      difference("missing", "gone", 2),
      difference("added", "new", undefined, 4),
      difference("outcome", "c", 4, 3),
      difference("attempts", "c", 4, 3),
      difference("outcome", "a", 1, 1),
      difference("outcome", "d", 5, 5),
    ]),
    ["a outcome", "gone missing", "c outcome+attempts", "new added", "d outcome"],
  );
  same(
    shown([
      difference("added", "one", undefined, 1),
      difference("added", "two", undefined, 2),
      difference("outcome", "a", 1, 3),
      difference("outcome", "c", 3, 5),
    ]),
    ["one added", "two added", "a outcome", "c outcome"],
  );
});

Deno.test("what is of all answers of an endpoint stands apart, at a call that shows it", () => {
  same(
    shown([difference("outcome", "x", 2, 2), difference("shape", "x", 2, 2), difference("timing", "x", 3, 3), difference("missing", "y", 1)]),
    ["y missing", "x outcome", "x shape+timing"],
  );
});

Deno.test("a kind is chosen, and only it is shown", () => {
  const differences = [difference("outcome", "x", 1, 1), difference("attempts", "x", 1, 1), difference("added", "y", undefined, 2)];
  same(countsOf(differences), [["added", 1], ["outcome", 1], ["attempts", 1]]);
  const lines = linesOf(differences);
  same(ofKind(lines, "").length, 2);
  same(ofKind(lines, "attempts").map((line) => line.differences.map(({ kind }) => kind)), [["attempts"]]);
  same(ofKind(lines, "shape"), []);
});

Deno.test("an outcome is a status or none, and where it came from", () => {
  same(outcomeOf("200"), { status: "200", source: "" });
  same(outcomeOf("304 from cache"), { status: "304", source: "cache" });
  same(outcomeOf("no answer from fault"), { status: null, source: "fault" });
});

Deno.test("addresses lead to recordings and to the live log", () => {
  same(comparePage("a b", "live"), "/recordings?compare=a+b&with=live");
  same(comparePath("a/b", "c"), "/api/recordings/a%2Fb/compare?with=c");
  same([rowPathIn("live", "r"), rowPathIn("a", "r")], ["/api/network/r", "/api/recordings/a/network/r"]);
  same([logPage("live"), logPage("live", "r"), logPage("a", "r")], ["/network", "/network?row=r", "/network?recording=a&row=r"]);
  same(["/rpc/refresh_tokens", "/app/api/refresh-token", "/rpc/refresh"].map((path) => isRefresh({ method: "POST", path })), [true, true, false]);
});
