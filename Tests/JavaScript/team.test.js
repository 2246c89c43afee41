// @ts-check
import { actionsOf, changesOf, joinLink, joinToken, spokenTime } from "../../Public/assets/js/models/team/team.js";
import { same } from "./check.js";

Deno.test("the token of a link is read from the address that was made of it", () => {
  for (const token of ["abc-_123", "a+b/c=&d#e"]) {
    const link = new URL(joinLink("https://console.example", token));
    same([link.pathname, link.search, joinToken(link.hash)], ["/team", "", token]);
  }
  same(["", "#", "#join=", "#join", "#other=1"].map(joinToken), [null, null, null, null, null]);
});

Deno.test("only who manages a workspace shares or deletes it, only others leave it, and one's own is nobody else's", () => {
  /** @param {"read" | "write" | "manage"} access @param {boolean} [isOwn] @param {"viewer" | "tester"} [role] */
  const actions = (access, isOwn = false, role = "tester") =>
    Object.entries(actionsOf({ workspace_id: "1", name: "a", access, is_own: isOwn }, role)).filter(([, has]) => has).map(([name]) => name);
  same([actions("read"), actions("write"), actions("manage"), actions("manage", true)], [
    ["members", "leave"],
    ["members", "leave"],
    ["share", "members", "remove", "delete"],
    [],
  ]);
  // The console refuses what changes something for others to somebody who may only look.
  same([actions("read", false, "viewer"), actions("manage", false, "viewer")], [["members", "leave"], ["members"]]);
});

Deno.test("changes are shown newest first, and a line that was cut is left out", () => {
  same(changesOf('{"entry":1}\n{"entry":2}\n\n{"entry":3').map(({ entry }) => entry), [2, 1]);
});

Deno.test("a length of time is said in the language", () => {
  same([30, 60, 90, 1440, 1441].map((minutes) => spokenTime(minutes, "en")), [
    "30 minutes",
    "1 hour",
    "1 hour, 30 minutes",
    "1 day",
    "1 day, 1 minute",
  ]);
  same(spokenTime(120, "de"), "2 Stunden");
});
