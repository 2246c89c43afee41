// @ts-check
// Filters at random, and what they let through by a reading that shares no code with the product.
import { oneOf } from "./rows.js";

/**
 * @typedef {import("./rows.js").NetworkRow} NetworkRow
 * @typedef {{op: "and" | "or", parts: Tree[]} | {op: "not", part: Tree} | {op: "term", holds: (row: NetworkRow, now: number, found: Set<number>) => boolean}} Tree
 */

/** @param {Tree} tree @param {NetworkRow} row @param {number} now @param {Set<number>} found @returns {boolean} */
export function oracle(tree, row, now, found) {
  if (tree.op === "not") return !oracle(tree.part, row, now, found);
  if (tree.op === "term") return tree.holds(row, now, found);
  const answers = tree.parts.map((part) => oracle(part, row, now, found));
  return tree.op === "and" ? !answers.includes(false) : answers.includes(true);
}

/** @param {string | undefined} text @param {string} part */
const has = (text, part) => text !== undefined && text.toUpperCase().indexOf(part.toUpperCase()) >= 0;

/** @type {((random: () => number) => [string, (row: NetworkRow, now: number, found: Set<number>) => boolean])[]} */
const terms = [
  (random) => {
    const [one, other] = [oneOf(random, ["get", "POST"]), oneOf(random, ["Delete", "PUT"])];
    return [`method:${one},${other}`, (row) => row.method === one.toUpperCase() || row.method === other.toUpperCase()];
  },
  (random) => {
    const family = oneOf(random, [2, 3, 4, 5]);
    return [`status:${family}xx`, (row) => row.status !== undefined && String(row.status)[0] === String(family)];
  },
  (random) => {
    const [sign, bound] = [oneOf(random, [">", ">=", "<", "<=", "="]), oneOf(random, [200, 304, 401, 500, 501])];
    return [`status:${sign}${bound}`, (row) => {
      if (row.status === undefined) return false;
      if (sign === "=") return row.status === bound;
      return sign[0] === ">"
        ? row.status > bound || (sign[1] === "=" && row.status === bound)
        : row.status < bound || (sign[1] === "=" && row.status === bound);
    }];
  },
  () => ["status:err", (row) => row.state === "failure" && (row.status ?? 0) < 400],
  () => ["status:pending,404", (row) => row.status === 404 || row.state === "pending" || row.state === "waiting"],
  (random) => {
    const part = oneOf(random, ["ME", "rpc", "(old)", "cues", "zzz"]);
    return [`path:"${part}"`, (row) => has(row.path, part)];
  },
  () => ["path:/rpc/*/1*", (row) => /^\/rpc\/.*\/1.*$/s.test(row.path)],
  () => ["endpoint:refresh,get", (row) => has(row.endpoint, "refresh") || has(row.endpoint, "get")],
  () => ['flow:"sync \\"all\\""', (row) => has(row.flow, 'sync "all"')],
  () => ['flow:"über|f"', (row) => row.flow === "Über|flow"],
  (random) => {
    const [sign, unit, factor] = [
      oneOf(random, [">", "<="]),
      ...oneOf(random, /** @type {[string, number][]} */ ([["", 1], ["ms", 1], ["s", 1000]])),
    ];
    const bound = oneOf(random, [0.5, 1, 400]);
    return [`dur:${sign}${bound}${unit}`, (row) => {
      if (row.duration_ms === undefined) return false;
      return sign === ">" ? row.duration_ms > bound * factor : !(row.duration_ms > bound * factor);
    }];
  },
  () => ["size:0.5..100kb", (row) => row.response_bytes === 500 || row.response_bytes === 100_000],
  () => ["is:pending", (row) => row.state === "pending" || row.state === "waiting"],
  () => ["is:failed", (row) => row.state === "failure" || row.state === "cancelled" || Number(row.status) >= 400],
  () => ["is:retried,pinned", (row) => row.attempt > 1 || row.is_pinned === true],
  () => ["is:faulted", (row) => row.source === "fault" || row.fault_id !== undefined],
  () => ["is:cached", (row) => row.source === "cache"],
  () => ["source:cache,replay", (row) => row.source === "cache" || row.source === "replay"],
  () => ["is:replayed", (row) => row.source === "replay"],
  () => ["is:redacted", (row) => row.error === "‹token:3f1c09ab› refused"],
  () => ["has:body", (row) => Number(row.request_bytes) > 0 || Number(row.response_bytes) > 0],
  () => ["drift:any", (row) => row.drift !== undefined],
  () => [
    "drift:missing",
    (row) => row.drift?.some((one) => one.kind === "missing" || one.kind === "undocumented") === true,
  ],
  () => ["has:error,parent", (row) => row.error !== undefined || row.parent_id !== undefined],
  () => ["since:10s", (row, now) => now - Date.parse(row.started_at) <= 10_000],
  () => [
    "between:2026-01-01T00:00:02Z..2026-01-01T00:00:09.5Z",
    (row) => row.started_at >= "2026-01-01T00:00:02.000Z" && row.started_at <= "2026-01-01T00:00:09.500Z",
  ],
  () => ['body:"any text"', (row, _, found) => found.has(row.seq)],
  () => [
    "40",
    (row) =>
      has(row.path, "40") || has(row.endpoint, "40") || has(row.error, "40") ||
      (row.status !== undefined && String(row.status).startsWith("40")),
  ],
  () => ["host:example.org", (row) => has(row.host, "example.org")],
  () => [
    "id:0198c0de-0000-7000-8000-00000000002",
    (row) => [row.id, row.call_id, row.flow_id, row.parent_id ?? ""].some((one) => one.indexOf("0198c0de-0000-7000-8000-00000000002") === 0),
  ],
  () => ["timeout", (row) => row.error === "timeout"],
];

/** A filter in words and the tree that it stands for. @param {() => number} random @param {number} depth @returns {{text: string, tree: Tree}} */
export function randomFilter(random, depth) {
  const kind = depth === 0 ? 0 : Math.floor(random() * 4);
  if (kind === 0) {
    const [text, holds] = oneOf(random, terms)(random);
    return { text, tree: { op: "term", holds } };
  }
  if (kind === 1) {
    const { text, tree } = randomFilter(random, depth - 1);
    const sign = oneOf(random, ["-", "!"]);
    return { text: `${sign}(${text})`, tree: { op: "not", part: tree } };
  }
  const parts = Array.from({ length: 1 + Math.floor(random() * 3) }, () => randomFilter(random, depth - 1));
  const text = parts.map((part) => `(${part.text})`).join(kind === 2 ? " " : oneOf(random, ["|", " | "]));
  return { text, tree: { op: kind === 2 ? "and" : "or", parts: parts.map((part) => part.tree) } };
}
