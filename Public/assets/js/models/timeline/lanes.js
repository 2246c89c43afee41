// @ts-check The content of the time axis's lanes: spans of time, and marks of events.
import { faultEvent } from "./timeline.js";

/**
 * @typedef {import("./timeline.js").Entry} Entry
 * @typedef {import("../network/row-view.js").NetworkRow} NetworkRow
 * @typedef {{at: number, tone: string, entry?: Entry, row?: NetworkRow}} Mark
 * @typedef {{from: number, to: number, tone: string, entry?: Entry}} Bar
 * @typedef {{key: "session" | "calls" | "faults" | "tokens" | "clock", marks: Mark[], bars: Bar[]}} Lane
 */

/** The shortest time that the axis shows, in milliseconds. */
const shortest = 10_000;

/** @param {Entry} entry */
const timeOf = (entry) => Date.parse(entry.at);

/**
 * The time from the first entry or call until now.
 * @param {Entry[]} entries @param {NetworkRow[]} rows @param {number} now
 */
export function wholeOf(entries, rows, now) {
  const first = Math.min(
    ...entries.slice(0, 1).map(timeOf),
    rows.reduce((least, row) => Math.min(least, Date.parse(row.started_at)), Infinity),
    now - shortest,
  );
  const last = Math.max(now, ...entries.slice(-1).map(timeOf));
  // Marks are not on the edge.
  const margin = (last - first) * 0.02;
  return { from: first - margin, to: last + margin };
}

/**
 * The lanes: session, calls, faults, tokens and clock.
 * @param {Entry[]} entries oldest first
 * @param {NetworkRow[]} rows
 * @param {{now: number, from: number, accessEnd?: number}} time `from` is where the axis begins, `accessEnd` when the token of now expires
 * @returns {Lane[]}
 */
export function lanesOf(entries, rows, time) {
  return [
    sessionLane(entries, time),
    {
      key: "calls",
      bars: [],
      marks: rows.map((row) => ({ at: Date.parse(row.started_at), tone: toneOf(row), row })).toSorted((a, b) => a.at - b.at),
    },
    faultLane(entries, time),
    tokenLane(entries, time),
    clockLane(entries, time),
  ];
}

/** @param {NetworkRow} row */
const toneOf = (row) =>
  row.source === "fault" || row.fault_id !== undefined
    ? "violet"
    : row.state === "failure" || (row.status ?? 0) >= 400
    ? "bad"
    : row.state === "success"
    ? "ok"
    : "";

/** @type {Record<string, string>} */
const sessionTones = { authenticated: "ok", refreshing: "info", error: "warn" };

/** @param {Entry[]} entries @param {{now: number, from: number}} time @returns {Lane} */
function sessionLane(entries, { now, from }) {
  const marks = entries.filter(({ kind }) => kind === "session" || kind === "analytics").map((entry) => ({
    at: timeOf(entry),
    tone: entry.kind === "session" ? sessionTones[entry.to ?? ""] ?? "" : "quiet",
    entry,
  }));
  const changes = entries.filter(({ kind }) => kind === "session");
  const bars = changes.map((entry, at) => {
    const next = changes[at + 1];
    return { from: timeOf(entry), to: next ? timeOf(next) : now, tone: sessionTones[entry.to ?? ""] ?? "", entry };
  });
  const [first] = changes;
  if (first) bars.unshift({ from, to: timeOf(first), tone: sessionTones[first.from ?? ""] ?? "", entry: first });
  return { key: "session", marks, bars: bars.filter(({ tone }) => tone) };
}

/** @param {Entry[]} entries @param {{now: number, from: number}} time @returns {Lane} */
function faultLane(entries, { now, from }) {
  const own = entries.filter(({ kind }) => kind === "fault");
  /** @type {Map<string, number>} */
  const armed = new Map();
  /** @type {Bar[]} */
  const bars = [];
  for (const entry of own) {
    const event = faultEvent(entry);
    const key = entry.preset ?? entry.name ?? "";
    if (event === "armed") armed.set(key, timeOf(entry));
    else if (event !== "acted" && event !== "removed") {
      // A fault that was armed before the first entry was so from the beginning.
      bars.push({ from: armed.get(key) ?? from, to: timeOf(entry), tone: "violet", entry });
      armed.delete(key);
    }
  }
  for (const [key, since] of armed) {
    bars.push({ from: since, to: now, tone: "violet", entry: own.findLast((one) => (one.preset ?? one.name) === key) });
  }
  const marks = own.map((entry) => ({ at: timeOf(entry), tone: faultEvent(entry) === "acted" ? "violet" : "ring", entry }));
  return { key: "faults", marks, bars };
}

/**
 * The tokens of each sign-in and refresh, until others take their place.
 * @param {Entry[]} entries @param {{now: number, accessEnd?: number}} time @returns {Lane}
 */
function tokenLane(entries, { now, accessEnd }) {
  const changes = entries.filter(({ kind, to }) => kind === "session" && (to === "authenticated" || to === "signed_out"));
  const marks = changes.filter(({ to }) => to === "authenticated")
    .map((entry) => ({ at: timeOf(entry), tone: "ok", entry }));
  const bars = changes.flatMap((entry, at) => {
    if (entry.to !== "authenticated") return [];
    const next = changes[at + 1];
    const end = next ? timeOf(next) : Math.min(now, accessEnd ?? now);
    return [{ from: timeOf(entry), to: Math.max(end, timeOf(entry)), tone: at % 2 ? "info" : "ok", entry }];
  });
  return { key: "tokens", marks, bars };
}

/** When the backend's clock was ahead. @param {Entry[]} entries @param {{now: number}} time @returns {Lane} */
function clockLane(entries, { now }) {
  const moves = entries.filter(({ kind }) => kind === "clock");
  const bars = moves.flatMap((entry, at) => {
    if (!Number(entry.to)) return [];
    const next = moves[at + 1];
    return [{ from: timeOf(entry), to: next ? timeOf(next) : now, tone: "warn", entry }];
  });
  return { key: "clock", marks: moves.map((entry) => ({ at: timeOf(entry), tone: "warn", entry })), bars };
}
