// @ts-check
import {
  arrow,
  drawing,
  kinds,
  lifetimes,
  listed,
  partLeft,
  places,
  readKinds,
  states,
  transitions,
  writeKinds,
} from "../../Public/assets/js/models/timeline/timeline.js";
import { holds, none, same } from "./check.js";

/** @typedef {import("../../Public/assets/js/models/timeline/timeline.js").Entry} Entry */

/** @param {number} seq @param {number} second @param {Partial<Entry>} rest @returns {Entry} */
const entry = (seq, second, rest) => ({ seq, at: new Date(second * 1000).toISOString(), kind: "session", ...rest });

const entries = [
  entry(1, 0, { kind: "analytics", name: "auth.magic_link_requested" }),
  entry(2, 5, { from: "signed_out", to: "authenticated", row_id: "a" }),
  entry(3, 7, { from: "authenticated", to: "refreshing" }),
  entry(4, 8, { kind: "fault", name: "rule" }),
  entry(5, 9, { from: "refreshing", to: "authenticated", row_id: "b" }),
  entry(6, 9.5, { from: "authenticated", to: "refreshing", row_id: "c" }),
];

Deno.test("kinds are read from an address and written into it, and none means all", () => {
  same([...readKinds(null)], kinds);
  same([...readKinds("fault,nonsense,session")], ["fault", "session"]);
  same([...readKinds("nonsense")], kinds);
  same(writeKinds(readKinds("fault,session")), "session,fault");
  same(writeKinds(new Set(kinds)), null);
});

Deno.test("the newest entry comes first, and the time since the one before counts whatever is hidden", () => {
  const found = listed(entries, new Set(["session"]));
  same(found.map(({ entry: one }) => one.seq), [6, 5, 3, 2]);
  same(found.map(({ since }) => since), [500, 1000, 2000, 5000]);
  same(listed(entries, new Set(["analytics"]))[0]?.since, null);
  same(listed([], new Set(kinds)), []);
});

Deno.test("transitions are counted with the last of each; one that the machine does not know stands out", () => {
  const found = transitions([...entries, entry(7, 10, { from: "authenticated", to: "error" })]);
  /** @param {string} from @param {string} to */
  const of = (from, to) => found.find((one) => one.from === from && one.to === to);
  same([of("authenticated", "refreshing")?.times, of("authenticated", "refreshing")?.last?.row_id], [2, "c"]);
  same([of("error", "signed_out")?.times, of("error", "signed_out")?.last], [0, null]);
  same([of("authenticated", "error")?.times, of("authenticated", "error")?.isExpected], [1, false]);
  same(found.filter((one) => !one.isExpected).length, 1);
});

Deno.test("every arrow leaves one box and meets the other, and no two lie on each other", () => {
  const { boxWidth, boxHeight, width, height } = drawing;
  /** @type {string[]} */
  const wrong = [];
  for (const isRightToLeft of [false, true]) {
    const nodes = places(isRightToLeft);
    const starts = new Set();
    for (const from of states) {
      for (const to of states) {
        const shape = arrow(nodes, from, to);
        if (from === to) {
          holds(shape === null, "no way from a state to itself");
          continue;
        }
        const name = `${from} ${to} ${isRightToLeft}`;
        if (!shape) {
          wrong.push(`${name}: not drawn`);
          continue;
        }
        /** How far outside a box a point lies. @param {string} state @param {{x: number, y: number}} point */
        const outside = (state, { x, y }) => {
          const box = nodes.find((one) => one.state === state) ?? { x: 0, y: 0 };
          return Math.max(box.x - x, x - box.x - boxWidth, box.y - y, y - box.y - boxHeight);
        };
        const [start] = shape.line;
        const [tip] = shape.head;
        if (!(outside(from, start) > 0 && outside(from, start) < 6)) {
          wrong.push(`${name}: starts ${outside(from, start)}`);
        }
        if (!(outside(to, tip) > 0 && outside(to, tip) < 6)) wrong.push(`${name}: ends ${outside(to, tip)}`);
        for (const point of [...shape.line, ...shape.head, shape.middle]) {
          if (point.x < 0 || point.y < 0 || point.x > width || point.y > height) wrong.push(`${name}: outside`);
        }
        starts.add(`${start.x} ${start.y}`);
      }
    }
    same(starts.size, states.length * (states.length - 1));
  }
  none(wrong, "arrows");
  same(arrow(places(false), "signed_out", "elsewhere"), null);
});

Deno.test("a drawing for text from right to left is the mirror image", () => {
  const [plain, mirrored] = [places(false), places(true)];
  for (const [at, node] of plain.entries()) {
    same([mirrored[at]?.state, mirrored[at]?.x, mirrored[at]?.y], [
      node.state,
      drawing.width - drawing.boxWidth - node.x,
      node.y,
    ]);
  }
});

Deno.test("a lifetime empties from its issue to its end, and is due a margin before, at most a tenth", () => {
  const session = {
    state: /** @type {const} */ ("authenticated"),
    since: "1970-01-01T00:00:00Z",
    tokens_issued_at: "1970-01-01T00:00:00Z",
    access_expires_at: "1970-01-01T00:15:00Z",
    refresh_expires_at: "1970-01-15T00:00:00Z",
  };
  const [access, refresh] = lifetimes(session, 120);
  if (!access || !refresh) throw new Error("two tokens");
  same([access.key, access.start, access.end, access.dueAt], ["access", 0, 900_000, 810_000]);
  same(lifetimes(session, 30)[0]?.dueAt, 870_000);
  same([refresh.key, refresh.dueAt], ["refresh", null]);
  same([partLeft(access, 0), partLeft(access, 450_000), partLeft(access, 1e9), partLeft(access, -5)], [1, 0.5, 0, 1]);
  const [unknown] = lifetimes({ ...session, tokens_issued_at: undefined });
  same([unknown?.start, unknown?.dueAt], [null, null]);
  same(unknown && partLeft(unknown, 0), null);
  same(lifetimes({ state: "signed_out", since: "" }), []);
});
