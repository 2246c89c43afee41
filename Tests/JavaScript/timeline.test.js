// @ts-check
import {
  arrow,
  drawing,
  faultEvent,
  folds,
  kinds,
  lifetimes,
  listed,
  partPassed,
  places,
  readKinds,
  states,
  transitions,
  writeKinds,
} from "../../Public/assets/js/models/timeline/timeline.js";
import { around, clusters, moved, ticks, zoomed } from "../../Public/assets/js/models/timeline/axis.js";
import { lanesOf } from "../../Public/assets/js/models/timeline/lanes.js";
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

Deno.test("a lifetime fills from its issue to its end, and is due a margin before, at most a tenth", () => {
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
  same([-5, 0, 450_000, 1e9].map((now) => partPassed(access, now)), [0, 0, 0.5, 1]);
  same(partPassed(access, access.dueAt ?? 0), 0.9);
  const [unknown] = lifetimes({ ...session, tokens_issued_at: undefined });
  same([unknown?.start, unknown?.dueAt], [null, null]);
  same(unknown && partPassed(unknown, 0), null);
  same(lifetimes({ state: "signed_out", since: "" }), []);
});

Deno.test("a fault is armed, acts, and is disarmed: three things", () => {
  same(faultEvent({ to: "armed" }), "armed");
  same(faultEvent({ from: "off", to: "armed" }), "armed");
  same(faultEvent({ to: "acted" }), "acted");
  same(faultEvent({ from: "armed", to: "off" }), "disarmed");
  same(faultEvent({ from: "armed", to: "removed" }), "disarmed");
  same(faultEvent({ from: "expired", to: "removed" }), "removed");
  same(faultEvent({ from: "armed", to: "expired" }), "expired");
  same(faultEvent({ from: "armed", to: "spent" }), "spent");
});

Deno.test("neighbours that tell the same are folded, and others keep them apart", () => {
  const acted = { kind: /** @type {const} */ ("fault"), to: "acted", reason: "offline", fault_name: "Train Wi-Fi" };
  const found = listed([
    entry(1, 0, { ...acted, name: "a", preset: "train-wifi", row_id: "1" }),
    entry(2, 1, { ...acted, name: "b", preset: "train-wifi", row_id: "2" }),
    entry(3, 2, { from: "authenticated", to: "refreshing" }),
    entry(4, 3, { ...acted, name: "a", preset: "train-wifi", row_id: "3" }),
    entry(5, 4, { ...acted, name: "a", preset: "train-wifi", row_id: "4", reason: "connection_lost" }),
    entry(6, 5, { ...acted, name: "c", fault_name: "Mine" }),
    entry(7, 6, { ...acted, name: "d", fault_name: "Mine" }),
  ], new Set(kinds));
  same(folds(found).map((fold) => fold.map((one) => one.entry.seq)), [[7], [6], [5], [4], [3], [2, 1]]);
  same(folds([]), []);
});

Deno.test("the axis comes closer around a point, moves, and never leaves the whole", () => {
  const whole = { from: 0, to: 100_000 };
  const near = zoomed(whole, whole, 0.5, 25_000);
  same(near, { from: 12_500, to: 62_500 });
  same(zoomed(near, whole, 2, 25_000), whole);
  same(zoomed(whole, whole, 0.5, 0), { from: 0, to: 50_000 });
  same(moved(near, whole, 1), { from: 50_000, to: 100_000 });
  same(moved(near, whole, -1), { from: 0, to: 50_000 });
  let view = whole;
  for (let turn = 0; turn < 40; turn += 1) view = zoomed(view, whole, 0.5, 99_999);
  holds(view.to - view.from >= 200 && view.to <= whole.to, "the closest that there is");
  same(around({ from: 40_000, to: 60_000 }, whole), { from: 36_000, to: 64_000 });
});

Deno.test("ticks stand at round times of the local clock", () => {
  const found = ticks({ from: 3_500, to: 62_000 }, 6, 0);
  same([found.step, found.at], [10_000, [10_000, 20_000, 30_000, 40_000, 50_000, 60_000]]);
  const hours = ticks({ from: 0, to: 86_400_000 }, 4, 1_800_000);
  holds(hours.at.every((at) => (at + 1_800_000) % hours.step === 0), "half an hour east");
  for (const length of [100, 1000, 60_000, 3_600_000, 86_400_000, 4e10]) {
    const { at } = ticks({ from: 0, to: length }, 8, 0);
    holds(at.length > 0 && at.length <= 9, `${length}: ${at.length} ticks`);
  }
});

Deno.test("marks too close to be told apart are one, and come apart closer by", () => {
  const marks = [0, 10, 20, 500, 990].map((at) => ({ at }));
  const sizes = (/** @type {{from: number, to: number}} */ view) => clusters(marks, view, 0.05).map((one) => one.length);
  same(sizes({ from: 0, to: 1000 }), [3, 1, 1]);
  same(sizes({ from: 0, to: 100 }), [1, 1, 1]);
});

Deno.test("the lanes show what was when, and armed faults from arming to disarming", () => {
  const story = [
    entry(1, 10, { from: "signed_out", to: "authenticated" }),
    entry(2, 20, { kind: "fault", to: "armed", name: "a", preset: "train-wifi" }),
    entry(3, 30, { kind: "fault", to: "acted", name: "b", preset: "train-wifi", row_id: "1" }),
    entry(4, 35, { from: "authenticated", to: "refreshing" }),
    entry(5, 36, { from: "refreshing", to: "authenticated" }),
    entry(6, 40, { kind: "fault", from: "armed", to: "removed", name: "a", preset: "train-wifi" }),
    entry(7, 50, { kind: "fault", to: "armed", name: "c" }),
    entry(8, 60, { kind: "clock", to: "960" }),
    entry(9, 70, { kind: "clock", to: "0" }),
  ];
  const lanes = lanesOf(story, [], { now: 80_000, from: 0 });
  const spans = Object.fromEntries(lanes.map(({ key, bars }) => [key, bars.map(({ from, to }) => [from / 1000, to / 1000])]));
  same(lanes.map(({ key }) => key), ["session", "calls", "faults", "tokens", "clock"]);
  same(spans.faults, [[20, 40], [50, 80]]);
  same(spans.session, [[10, 35], [35, 36], [36, 80]]);
  same(spans.tokens, [[10, 36], [36, 80]]);
  same(spans.clock, [[60, 70]]);
  same(lanes.find(({ key }) => key === "faults")?.marks.map(({ tone }) => tone), ["ring", "violet", "ring", "ring"]);
  // Disarming what was armed before the first entry.
  same(lanesOf([entry(9, 5, { kind: "fault", from: "armed", to: "off", name: "x" })], [], { now: 9000, from: 1000 })[2]?.bars
    .map(({ from, to }) => [from, to]), [[1000, 5000]]);
});
