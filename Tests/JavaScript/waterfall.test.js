// @ts-check
import { phasesOn, TimeAxis } from "../../Public/assets/js/models/network/waterfall.js";
import { holds, same } from "./check.js";

Deno.test("spans that follow each other share the axis by their length", () => {
  const axis = new TimeAxis([{ start: 1000, end: 1100 }, { start: 1100, end: 1400 }]);
  same(axis.bar({ start: 1000, end: 1100 }), { from: 0, share: 25 });
  same(axis.bar({ start: 1100, end: 1400 }), { from: 25, share: 75 });
});

Deno.test("parallel spans lie above each other", () => {
  const axis = new TimeAxis([{ start: 50, end: 100 }, { start: 0, end: 100 }]);
  same(axis.bar({ start: 0, end: 100 }), { from: 0, share: 100 });
  same(axis.bar({ start: 50, end: 100 }), { from: 50, share: 50 });
});

Deno.test("an idle stretch is shortened, however long it was, and the order stays", () => {
  const minute = 60_000;
  const spans = [{ start: 0, end: 100 }, { start: minute, end: minute + 100 }, { start: 9 * minute, end: 9 * minute + 100 }];
  const axis = new TimeAxis(spans);
  const bars = spans.map((span) => axis.bar(span));
  for (const [index, bar] of bars.entries()) {
    holds(Math.abs(bar.share - 30) < 4, `each is about a third of the axis: ${bar.share}`);
    const next = bars[index + 1];
    if (next) holds(next.from > bar.from + bar.share, "a gap is left between them");
  }
  const short = new TimeAxis([{ start: 0, end: 100 }, { start: 103, end: 200 }]);
  holds(short.at(103) - short.at(100) < 2, "a short gap keeps its length");
});

Deno.test("what is out of the axis is at its ends, and a moment is still seen", () => {
  const axis = new TimeAxis([{ start: 100, end: 200 }]);
  same([axis.at(0), axis.at(150), axis.at(900)], [0, 50, 100]);
  same(axis.bar({ start: 200, end: 200 }), { from: 99, share: 1 });
  same(new TimeAxis([]).bar({ start: 5, end: 9 }), { from: 0, share: 1 });
});

Deno.test("phases stand in percent of the bar", () => {
  same(phasesOn(20, 60, 100), { wait: 20, receive: 80 });
  same(phasesOn(90, 60, 100), { wait: 90, receive: 100 }, "phases end with the whole");
  same([phasesOn(0, 0, 100), phasesOn(5, 5, Number.NaN), phasesOn(5, 5, 0)], [null, null, null], "nothing is known");
});
