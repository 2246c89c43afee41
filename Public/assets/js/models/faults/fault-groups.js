// @ts-check Groups: presets by the broken part, similar kinds, and the rules of a preset.

/** @typedef {import("./faults.js").Fault} Fault */
/**
 * A fault as a person sees it: a rule, or all rules of one preset.
 * @typedef {{key: string, preset: string | null, rules: Fault[], state: Fault["state"], hits: number}} FaultGroup
 */

/** The presets by the broken part, in the order in which they are offered. @type {Record<string, string[]>} */
export const presetGroups = {
  network: ["train-wifi", "airplane", "slow-backend", "silent-backend", "lost-answers", "wrong-pin", "untrusted-certificate"],
  auth: ["token-expires", "refresh-revoked", "device-unregistered", "bad-signature"],
  server: ["backend-down", "backend-error", "rate-limited", "not-found", "conflict", "garbage-json", "sloppy-backend"],
  device: ["clock-ahead", "storage-full"],
};

/** The kinds of faults in the same groups. @type {Record<string, string[]>} */
export const kindGroups = {
  server: ["status", "rate_limit", "malformed_body", "mangle_fields"],
  network: ["offline", "timeout", "reset", "latency", "pin_mismatch", "tls_failure"],
  auth: ["expire_access_token", "revoke_refresh_token", "unregister_device"],
  device: ["clock_skew", "storage_full"],
};

/** The presets and kinds that need calls which a backend may lack. @type {Record<string, "refresh">} */
const needed = { "refresh-revoked": "refresh", revoke_refresh_token: "refresh" };

/**
 * A feature that a preset or a kind needs and the backend lacks, or null.
 * @param {string} name
 * @param {string[]} hidden what the backend lacks
 */
export function lackedBy(name, hidden) {
  const feature = needed[name];
  return feature && hidden.includes(feature) ? feature : null;
}

/**
 * The rules as faults, in the order of their first rules; the rules of one preset are one fault, armed while one of them is.
 * @param {Fault[]} faults
 * @returns {FaultGroup[]}
 */
export function grouped(faults) {
  /** @type {Map<string, Fault[]>} */
  const found = new Map();
  for (const fault of faults) {
    const key = fault.preset ?? fault.id;
    found.set(key, [...found.get(key) ?? [], fault]);
  }
  return [...found].map(([key, rules]) => ({
    key,
    preset: rules[0]?.preset ?? null,
    rules,
    state: stateOf(rules),
    hits: rules.reduce((sum, one) => sum + one.hits, 0),
  }));
}

/** @param {Fault[]} rules @returns {Fault["state"]} */
const stateOf = (rules) =>
  (/** @type {const} */ (["armed", "expired", "spent"])).find((state) => rules.some((one) => one.state === state)) ?? "off";

/**
 * The positions that rules must be given, one after the other, to move a fault up or down by one fault.
 * @param {FaultGroup[]} groups @param {number} at @param {-1 | 1} step
 * @returns {{id: string, position: number}[]}
 */
export function moves(groups, at, step) {
  const [one, other] = [groups[at], groups[at + step]];
  if (!one || !other) return [];
  const order = [...groups];
  order[at] = other;
  order[at + step] = one;
  return order.flatMap((group) => group.rules).map((rule, position) => ({ id: rule.id, position })).slice(
    order.slice(0, Math.min(at, at + step)).reduce((sum, group) => sum + group.rules.length, 0),
  ).slice(0, one.rules.length + other.rules.length);
}
