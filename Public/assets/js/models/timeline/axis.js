// @ts-check The time axis: the visible part of time, its ticks, and marks that are too close to distinguish.

/** @typedef {{from: number, to: number}} Span milliseconds */

/** The shortest span that can be in view, in milliseconds. */
const shortest = 200;
const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000];
const steps = [
  50,
  100,
  200,
  500,
  ...[1, 2, 5, 10, 15, 30].map((n) => n * second),
  ...[1, 2, 5, 10, 15, 30].map((n) => n * minute),
  ...[1, 2, 3, 6, 12].map((n) => n * hour),
  ...[1, 2, 7, 14, 30, 90, 365].map((n) => n * day),
];

/** A span inside another, as long as it was if there is room. @param {Span} span @param {Span} whole @returns {Span} */
function within(span, whole) {
  const length = Math.min(Math.max(span.to - span.from, shortest), whole.to - whole.from);
  const from = Math.min(Math.max(span.from, whole.from), whole.to - length);
  return { from, to: from + length };
}

/**
 * The view after zooming by a factor, less than 1 to come closer; the point at `at` stays in place.
 * @param {Span} view @param {Span} whole @param {number} factor @param {number} [at]
 * @returns {Span}
 */
export function zoomed(view, whole, factor, at = (view.from + view.to) / 2) {
  const length = Math.min(Math.max((view.to - view.from) * factor, shortest), whole.to - whole.from);
  const part = (at - view.from) / (view.to - view.from);
  return within({ from: at - part * length, to: at + (1 - part) * length }, whole);
}

/** The view moved by a part of its length. @param {Span} view @param {Span} whole @param {number} part @returns {Span} */
export function moved(view, whole, part) {
  const by = (view.to - view.from) * part;
  return within({ from: view.from + by, to: view.to + by }, whole);
}

/** A view around a span, with a margin before and after. @param {Span} span @param {Span} whole @returns {Span} */
export function around({ from, to }, whole) {
  const margin = Math.max((to - from) * 0.2, shortest);
  return within({ from: from - margin, to: to + margin }, whole);
}

/**
 * The instants of the ticks: at most `count`, at round times of the clock on the wall.
 * @param {Span} view @param {number} count @param {number} [offset] the local time's, in milliseconds
 */
export function ticks({ from, to }, count, offset = -new Date(from).getTimezoneOffset() * minute) {
  const step = steps.find((one) => (to - from) / one <= Math.max(count, 1)) ?? 365 * day;
  const found = [];
  for (let at = Math.ceil((from + offset) / step) * step - offset; at <= to; at += step) found.push(at);
  return { step, at: found };
}

/** Where an instant is in a view, from 0 to 1. @param {Span} view @param {number} at */
export const placeOf = ({ from, to }, at) => (at - from) / (to - from);

/**
 * The visible marks; marks too close to distinguish are grouped.
 * @template {{at: number}} Mark
 * @param {Mark[]} marks in the order of time
 * @param {Span} view
 * @param {number} gap the least distance, as a part of the view
 * @returns {Mark[][]}
 */
export function clusters(marks, view, gap) {
  /** @type {Mark[][]} */
  const all = [];
  for (const mark of marks) {
    if (mark.at < view.from || mark.at > view.to) continue;
    const last = all.at(-1);
    if (last?.[0] && placeOf(view, mark.at) - placeOf(view, last[0].at) < gap) last.push(mark);
    else all.push([mark]);
  }
  return all;
}
