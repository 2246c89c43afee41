// @ts-check
import { phasesOf } from "../../Public/assets/js/models/network/phases.js";
import { none, same } from "./check.js";

/** @param {Record<string, number>} timings */
const shown = (timings) => phasesOf(timings).phases.map(({ name, duration }) => [name, duration]);

Deno.test("a phase that did not take place is left out, and the rest of the time has its own line", () => {
  const timings = { dns_ms: 10, connect_ms: 0, wait_ms: 30, total_ms: 80 };
  same(shown(timings), [["dns", 10], ["connect", 0], ["wait", 30], ["other", 40]]);
  same(phasesOf(timings).phases.map(({ start, share }) => [start, share]), [[0, 12.5], [12.5, 0], [12.5, 37.5], [50, 50]]);
  same(shown({ send_ms: 1, wait_ms: 2, receive_ms: 3, total_ms: 6 }), [["send", 1], ["wait", 2], ["receive", 3]]);
});

Deno.test("without phases there is only a total, and without a total only phases", () => {
  same(phasesOf({ total_ms: 5.04 }), { phases: [], total: 5, digits: 1, isReused: false });
  same(phasesOf({}), { phases: [], total: null, digits: 1, isReused: false });
  same(phasesOf({ send_ms: 1, wait_ms: 2 }).total, null);
});

Deno.test("a connection is reused if there was an answer and nothing before the request", () => {
  same(phasesOf({ queue_ms: 1, send_ms: 1, wait_ms: 2, receive_ms: 1, total_ms: 5 }).isReused, true);
  same(phasesOf({ dns_ms: 0, connect_ms: 1, tls_ms: 2, wait_ms: 2, total_ms: 5 }).isReused, false);
  same(phasesOf({ queue_ms: 1, total_ms: 5 }).isReused, false);
});

Deno.test("what is shown adds up to the total that is shown", () => {
  /** @type {string[]} */
  const wrong = [];
  let seed = 7;
  const random = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
  for (let turn = 0; turn < 2000; turn += 1) {
    /** @type {Record<string, number>} */
    const timings = {};
    let sum = 0;
    for (const name of ["queue", "dns", "connect", "tls", "send", "wait", "receive"]) {
      if (random() < 0.4) continue;
      const duration = Math.round(random() * 10 ** (random() * 6) * 100) / 100;
      timings[`${name}_ms`] = duration;
      sum += duration;
    }
    timings.total_ms = Math.round((sum + (random() < 0.5 ? 0 : random() * 50)) * 100) / 100;
    const { phases, total, digits } = phasesOf(timings);
    const added = phases.reduce((all, one) => all + one.duration, 0);
    if (phases.length && added.toFixed(digits) !== total?.toFixed(digits)) wrong.push(JSON.stringify(timings));
    for (const { name, duration } of phases) {
      const real = timings[`${name}_ms`];
      if (real !== undefined && Math.abs(real - duration) > 10 ** -digits + 1e-6) wrong.push(`${name} of ${JSON.stringify(timings)}`);
    }
  }
  none(wrong, "timings whose phases do not add up");
});
