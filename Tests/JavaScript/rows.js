// @ts-check
// Rows for the tests: a few by hand, and many by a seed.

/** @typedef {import("../../Public/assets/js/models/network/row-view.js").NetworkRow} NetworkRow */

/** @param {number} seq @param {Partial<NetworkRow>} [fields] @returns {NetworkRow} */
export const row = (seq, fields = {}) => ({
  id: `r${seq}`,
  seq,
  rev: 1,
  call_id: `c${seq}`,
  flow_id: "f",
  flow: "sign in",
  started_at: "2026-01-01T00:00:00.000Z",
  method: "GET",
  path: "/rpc/me",
  endpoint: "/rpc/me",
  attempt: 1,
  state: "success",
  status: 200,
  duration_ms: 20,
  response_bytes: 500,
  source: "network",
  ...fields,
});

/** Numbers from 0 up to below 1, always the same ones (mulberry32). @param {number} seed */
export function randomNumbers(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** One of a list. @template Item @param {() => number} random @param {readonly Item[]} list @returns {Item} */
export const oneOf = (random, list) => /** @type {Item} */ (list[Math.floor(random() * list.length)]);

/** A UUID. @param {number} number */
export const uuid = (number) => `0198c0de-0000-7000-8000-${number.toString(16).padStart(12, "0")}`;

/** The drift of a row. @param {() => number} random @returns {NonNullable<NetworkRow["drift"]>} */
const randomDrift = (random) =>
  Array.from({ length: oneOf(random, [1, 1, 3]) }, () => ({
    where: oneOf(random, /** @type {const} */ (["request", "response"])),
    pointer: oneOf(random, ["", "/user/email", "/cues/0/stage"]),
    expected: "string",
    got: "number",
    kind: oneOf(random, /** @type {const} */ (["missing", "undocumented", "invalid", "invalid"])),
  }));

/** A row of any kind. @param {() => number} random @param {number} seq @returns {NetworkRow} */
export function randomRow(random, seq) {
  const state = oneOf(
    random,
    /** @type {const} */ (["waiting", "pending", "success", "success", "failure", "cancelled"]),
  );
  const isOpen = state === "waiting" || state === "pending";
  const name = oneOf(random, ["me", "refresh_tokens", "get_cues", "login_with_code", "app config (old)"]);
  const fault = random() < 0.1 ? oneOf(random, ["fault-1", "fault-2"]) : undefined;
  return {
    id: uuid(seq),
    seq,
    rev: 1 + Math.floor(random() * 3),
    call_id: uuid(1_000_000 + Math.floor(seq / oneOf(random, [1, 1, 2]))),
    parent_id: random() < 0.2 ? uuid(Math.max(1, seq - 3)) : undefined,
    flow_id: uuid(2_000_000 + Math.floor(seq / 5)),
    flow: oneOf(random, ["load_account", "login_with_code", 'sync "all" cues', "Über|flow"]),
    started_at: new Date(Date.UTC(2026, 0, 1) + seq * 250 + Math.floor(random() * 200)).toISOString(),
    method: oneOf(random, ["GET", "POST", "DELETE"]),
    path: `/rpc/${name}${random() < 0.3 ? `/${seq % 50}` : ""}`,
    host: oneOf(random, ["api.example.org", "127.0.0.1:40443", undefined]),
    endpoint: `/rpc/${name}`,
    attempt: oneOf(random, [1, 1, 1, 2, 3]),
    status: isOpen || random() < 0.1 ? undefined : oneOf(random, [200, 201, 204, 304, 401, 404, 429, 500, 503]),
    state,
    error: state === "failure"
      ? oneOf(random, ["timeout", "ErrAccessTokenExpired", "‹token:3f1c09ab› refused", undefined])
      : undefined,
    duration_ms: isOpen ? undefined : Math.round(random() * 200_000) / 100,
    ...(isOpen || random() < 0.3 ? {} : { setup_ms: random() * 20, wait_ms: random() * 300 }),
    request_bytes: oneOf(random, [0, 80, 1200]),
    response_bytes: isOpen ? undefined : oneOf(random, [0, 500, 100_000, 2_000_000]),
    source: fault ? "fault" : oneOf(random, /** @type {const} */ (["network", "network", "cache", "replay"])),
    fault_id: fault,
    fault: fault ? { name: `Rule ${fault}`, action: "status", ...(fault === "fault-2" ? { preset: "backend-down" } : {}) } : undefined,
    is_pinned: random() < 0.1,
    drift: random() < 0.3 ? randomDrift(random) : undefined,
  };
}
