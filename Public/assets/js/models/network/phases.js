// @ts-check
const names = ["queue", "dns", "connect", "tls", "send", "wait", "receive"];

/**
 * The phases of an attempt that took place. They add up to the total at the precision that is shown: the rest of the total is a
 * phase `other`, and rounding errors go to the phases that lost most by rounding.
 * @param {Record<string, number | undefined>} timings milliseconds by `dns_ms`, `connect_ms`, …, `total_ms`
 * @returns {{phases: {name: string, duration: number, start: number, share: number}[], total: number | null, digits: 0 | 1,
 *   isReused: boolean}} start and share in percent of the total; `digits` after the point of milliseconds
 */
export function phasesOf(timings) {
  const parts = names.flatMap((name) => {
    const duration = timings[`${name}_ms`];
    return duration === undefined ? [] : [{ name, duration }];
  });
  const sum = parts.reduce((all, one) => all + one.duration, 0);
  const whole = timings.total_ms === undefined ? null : Math.max(timings.total_ms, sum);
  const digits = (whole ?? sum) < 10_000 ? 1 : 0;
  const unit = digits ? 10 : 1;
  const total = Math.round((whole ?? sum) * unit);
  // A failed attempt has a total and no phases, so the parts of its time are unknown.
  if (whole !== null && parts.length && (whole - sum) * unit >= 1) parts.push({ name: "other", duration: whole - sum });
  const counts = parts.map((one) => Math.floor(one.duration * unit));
  const byLoss = parts.map((one, at) => ({ at, loss: one.duration * unit - (counts[at] ?? 0) }))
    .toSorted((one, other) => other.loss - one.loss);
  let left = total - counts.reduce((all, one) => all + one, 0);
  for (let turn = 0; left > 0 && byLoss.length; turn += 1, left -= 1) {
    const at = byLoss[turn % byLoss.length]?.at ?? 0;
    counts[at] = (counts[at] ?? 0) + 1;
  }
  let before = 0;
  const phases = parts.map(({ name }, at) => {
    const count = counts[at] ?? 0;
    const start = total ? (before / total) * 100 : 0;
    before += count;
    return { name, duration: count / unit, start, share: total ? (count / total) * 100 : 0 };
  });
  const isReused = timings.wait_ms !== undefined &&
    ["dns", "connect", "tls"].every((name) => timings[`${name}_ms`] === undefined);
  return { phases, total: whole === null ? null : total / unit, digits, isReused };
}

/**
 * The phases of two attempts side by side, and their totals last, on the scale of the longer one.
 * @param {Record<string, number | undefined>} one
 * @param {Record<string, number | undefined>} other
 * @returns {{name: string, sides: ({duration: number, start: number, share: number} | null)[]}[]}
 */
export function comparedPhases(one, other) {
  const both = [phasesOf(one), phasesOf(other)].map(({ phases, total }) => ({
    phases,
    total: total ?? (phases.length ? phases.reduce((all, phase) => all + phase.duration, 0) : null),
  }));
  const longest = Math.max(...both.map(({ total }) => total ?? 0));
  const percent = (/** @type {number} */ value) => longest ? (value / longest) * 100 : 0;
  const found = [...names, "other"].map((name) => ({
    name,
    sides: both.map(({ phases, total }) => {
      const phase = phases.find((known) => known.name === name);
      return phase ? { duration: phase.duration, start: percent(phase.start * (total ?? 0) / 100), share: percent(phase.duration) } : null;
    }),
  })).filter(({ sides }) => sides.some((side) => side !== null));
  if (both.every(({ total }) => total === null)) return found;
  const totals = both.map(({ total }) => total === null ? null : { duration: total, start: 0, share: percent(total) });
  return [...found, { name: "total", sides: totals }];
}
