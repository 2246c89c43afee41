// @ts-check
/**
 * A fault rule, as `GET /api/faults` lists it.
 * @typedef {{method?: string, endpoint?: string, path?: string, query?: string, body?: string}} FaultMatch
 * @typedef {{skip?: number, every?: number, count?: number, probability?: number, seed?: number}} FaultWhen
 * @typedef {{kind: string, status?: number, code?: string, retry_after_seconds?: number, latency_ms?: number,
 *   skew_seconds?: number, headers?: [string, string][], body?: string}} FaultAction
 * @typedef {{name?: string, preset?: string, match?: FaultMatch, when?: FaultWhen, action: FaultAction,
 *   expires_in_seconds?: number}} FaultDraft
 * @typedef {FaultDraft & {id: string, name: string, armed_at: string, expires_at?: string, hits: number,
 *   state: "armed" | "off" | "expired" | "spent"}} Fault
 */

/** The further fields of each kind; `when` and `match` say whether it can be narrowed. @type {Record<string, string[]>} */
export const kinds = {
  status: ["status", "code", "retry_after_seconds", "latency_ms"],
  rate_limit: ["retry_after_seconds", "code", "latency_ms"],
  offline: ["latency_ms"],
  timeout: ["latency_ms"],
  reset: ["latency_ms"],
  latency: ["latency_ms"],
  malformed_body: ["latency_ms"],
  mangle_fields: ["latency_ms"],
  expire_access_token: ["latency_ms"],
  revoke_refresh_token: ["code", "latency_ms"],
  unregister_device: ["latency_ms"],
  clock_skew: ["skew_seconds"],
  pin_mismatch: ["latency_ms"],
  tls_failure: ["latency_ms"],
  storage_full: [],
};

/** Kinds that affect the whole device, not single calls. */
export const isOfTheDevice = (/** @type {string} */ kind) => kind === "clock_skew" || kind === "storage_full";

/** The fields of the form that are always there; the others only if they matter. */
const always = ["kind", "name", "expires"];

/**
 * Whether a field matters for the rule that a form describes. A field that has a value stays, unless the kind cannot use it.
 * @param {string} name @param {Record<string, string>} fields
 */
export function isOfUse(name, fields) {
  const { kind = "status" } = fields;
  const hasValue = Boolean(fields[name]?.trim());
  if (always.includes(name)) return true;
  if (name === "method" || name === "endpoint") {
    return !isOfTheDevice(kind) && (kind !== "revoke_refresh_token" || hasValue);
  }
  if (numbers[name]?.[2] === "when") {
    if (isOfTheDevice(kind)) return kind === "storage_full" && name === "count";
    return name !== "seed" || hasValue || Boolean(fields.probability?.trim());
  }
  if (!kinds[kind]?.includes(name)) return false;
  // Only these statuses are sent with the header.
  return name !== "retry_after_seconds" || kind !== "status" || hasValue ||
    ["", "429", "503"].includes(fields.status?.trim() ?? "");
}

/** Whether the kind is about a time, which does not only refine it. @param {string} kind */
export const isOfTime = (kind) => kind === "latency" || kind === "timeout";

/** The numbers of the form: lowest, highest, and their place in a rule. @type {Record<string, [number, number, "action" | "when"]>} */
export const numbers = {
  status: [300, 599, "action"],
  retry_after_seconds: [1, 86_400, "action"],
  latency_ms: [1, 600_000, "action"],
  skew_seconds: [-315_360_000, 315_360_000, "action"],
  skip: [0, 1_000_000, "when"],
  every: [1, 1000, "when"],
  count: [1, 1_000_000, "when"],
  probability: [1, 100, "when"],
  seed: [0, Number.MAX_SAFE_INTEGER, "when"],
};

/**
 * The rule that a form describes, with its problems by field; empty fields are left out.
 * @param {Record<string, string>} fields
 * @returns {{draft: FaultDraft, problems: Record<string, {key: string, low?: number, high?: number}>}}
 */
export function ruleOf(fields) {
  const kind = fields.kind ?? "status";
  const whole = isOfTheDevice(kind);
  /** @type {Record<string, {key: string, low?: number, high?: number}>} */
  const problems = {};
  /** @type {Record<"action" | "when", Record<string, number | string>>} */
  const parts = { action: { kind }, when: {} };
  for (const [name, [low, high, part]] of Object.entries(numbers)) {
    const text = fields[name]?.trim() ?? "";
    if (!isOfUse(name, fields) || text === "") continue;
    const value = Number(text);
    if (!/^-?\d{1,16}$/.test(text) || value < low || value > high) {
      problems[name] = { key: "fault.number_bad", low, high };
    } else parts[part][name] = name === "probability" ? value / 100 : value;
  }
  const code = fields.code?.trim() ?? "";
  if (code && kinds[kind]?.includes("code")) {
    if (/^\w{1,64}$/.test(code)) parts.action.code = code;
    else problems.code = { key: "fault.code_bad" };
  }
  if (kind === "latency" && !fields.latency_ms?.trim()) {
    problems.latency_ms = { key: "fault.number_bad", low: 1, high: 600_000 };
  }
  if (kind === "clock_skew" && !Number(fields.skew_seconds?.trim() || 0)) {
    problems.skew_seconds ??= { key: "fault.number_bad", low: 1, high: 315_360_000 };
  }
  /** @type {FaultMatch} */
  const match = {};
  const endpoint = fields.endpoint?.trim() ?? "";
  if (!whole && fields.method) match.method = fields.method;
  if (!whole && endpoint) {
    if (/^[\w./{}-]{1,100}$/.test(endpoint)) match.endpoint = endpoint;
    else problems.endpoint = { key: "fault.endpoint_bad" };
  }
  const name = fields.name?.trim();
  const draft = /** @type {FaultDraft} */ ({
    ...(name ? { name } : {}),
    match,
    when: parts.when,
    action: /** @type {any} */ (parts.action),
    expires_in_seconds: Number(fields.expires ?? 900),
  });
  return { draft, problems };
}

/** The form's fields of a rule. @param {Fault} fault @returns {Record<string, string>} */
export function fieldsOf({ name, match, when, action, expires_at }) {
  /** @type {Record<string, string>} */
  const fields = {
    name,
    method: match?.method ?? "",
    endpoint: match?.endpoint ?? "",
    expires: expires_at ? "900" : "0",
  };
  for (const [key, value] of Object.entries({ ...action, ...when })) {
    fields[key] = String(key === "probability" ? Math.round(Number(value) * 100) : value);
  }
  return fields;
}

/**
 * A rule's meaning, as sentences of the catalogue; `calls` is the key of the subject of the first sentence.
 * @param {FaultDraft} rule
 * @returns {{calls: {key: string, parameters: Record<string, string>},
 *   sentences: {key: string, parameters: Record<string, string | number>}[]}}
 */
export function meaning({ match = {}, when = {}, action }) {
  const { method } = match;
  const endpoint = match.endpoint ?? match.path;
  const calls = method && endpoint ? "both" : method ? "method" : endpoint ? "endpoint" : "all";
  const { kind } = action;
  /** @type {{key: string, parameters: Record<string, string | number>}[]} */
  const sentences = [{
    key: `fault.what.${kind}`,
    parameters: {
      // A status and a code are names, not numbers: no separators.
      status: String(action.status ?? 503),
      seconds: action.retry_after_seconds ?? 30,
      delay: action.latency_ms ?? 0,
      skew: action.skew_seconds ?? 0,
    },
  }];
  if (action.code) sentences.push({ key: "fault.with_code", parameters: { code: action.code } });
  if (action.latency_ms && kind !== "latency") {
    sentences.push({
      key: kind === "timeout" ? "fault.gives_up" : "fault.late",
      parameters: { delay: action.latency_ms },
    });
  }
  if (match.query !== undefined) sentences.push({ key: "fault.same_query", parameters: {} });
  if (match.body !== undefined) sentences.push({ key: "fault.same_body", parameters: {} });
  if (when.skip) sentences.push({ key: "fault.which.skip", parameters: { n: when.skip } });
  if (when.every === 2) sentences.push({ key: "fault.which.second", parameters: {} });
  else if (when.every && when.every > 2) {
    sentences.push({ key: "fault.which.every", parameters: { every: when.every } });
  }
  if (when.probability && when.probability < 1) {
    sentences.push({ key: "fault.which.chance", parameters: { percent: Math.round(when.probability * 100) } });
  }
  const count = when.count ?? (kind === "expire_access_token" ? 1 : 0);
  if (count) sentences.push({ key: "fault.which.count", parameters: { n: count } });
  return {
    calls: { key: `fault.calls.${calls}`, parameters: { method: method ?? "", endpoint: endpoint ?? "" } },
    sentences,
  };
}

/**
 * The seconds until a rule expires by the console's clock, or null if it does not expire.
 * @param {Pick<Fault, "expires_at">} fault
 * @param {number} now the console's clock, in milliseconds
 */
export const secondsLeft = ({ expires_at }, now) =>
  expires_at ? Math.max(0, Math.ceil((Date.parse(expires_at) - now) / 1000)) : null;

/**
 * The rules after an event of kind `hit`, or null if the list must be loaded again.
 * @param {Fault[]} faults
 * @param {{kind?: string, id?: string, hits?: number, state?: Fault["state"]}} event
 */
export function afterHit(faults, { kind, id, hits, state }) {
  if (kind !== "hit" || !faults.some((one) => one.id === id)) return null;
  return faults.map((one) => (one.id === id ? { ...one, hits: hits ?? one.hits, state: state ?? one.state } : one));
}
