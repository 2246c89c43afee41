// @ts-check The client's behavior after a fault rule acted: the promises of the log's explanation.

/** @typedef {import("../explain/explanation.js").ClientPromise} ClientPromise */

/** The most lines of a fault. */
const limit = 3;

/** The kinds, the most relevant to a fault first. */
const order = [
  "retry_after",
  "backoff",
  "single_refresh",
  "no_repeated_post",
  "offline_fails_fast",
  "no_stale_token",
  "no_token_after_sign_out",
  "attempt_limit",
];

/**
 * The shown promises of a fault: of each kind the newest promise that was broken, or else the newest that was kept. Those that
 * were broken come first. The pause that a backend asked for is not said a second time.
 * @param {ClientPromise[]} promises in the order of their rows
 * @param {string[]} ids of the fault's rules
 * @returns {ClientPromise[]}
 */
export function promisesOf(promises, ids) {
  /** @type {Map<string, ClientPromise>} */
  const newest = new Map();
  for (const one of promises) {
    if (!one.fault_id || !ids.includes(one.fault_id)) continue;
    if (!one.kept || newest.get(one.kind)?.kept !== false) newest.set(one.kind, one);
  }
  const asked = newest.get("retry_after")?.rows.join();
  const backoff = newest.get("backoff");
  if (backoff?.kept && backoff.rows.join() === asked) newest.delete("backoff");
  return [...newest.values()].toSorted((one, other) =>
    Number(one.kept) - Number(other.kept) || order.indexOf(one.kind) - order.indexOf(other.kind)
  ).slice(0, limit);
}

/** The calls on which fault rules acted, to detect news about a fault. */
export class FaultedCalls {
  /** @type {Set<string>} */
  #ids = new Set();

  /**
   * Whether a row can change a fault's line, because it is the end of an attempt of such a call.
   * @param {{call_id?: string, fault_id?: string, state?: string}} row
   */
  take({ call_id: id, fault_id: fault, state }) {
    if (id === undefined || state === "waiting" || state === "pending") return false;
    if (fault) this.#ids.add(id);
    return this.#ids.has(id);
  }
}
