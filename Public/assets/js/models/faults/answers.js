// @ts-check
import { isJSON, isPath } from "../exports/composer.js";

/**
 * @typedef {import("./faults.js").Fault} Fault
 * @typedef {import("./faults.js").FaultDraft} FaultDraft
 * @typedef {{id: string, method: string, path: string, url?: string, status?: number, response_bytes?: number,
 *   seq?: number, endpoint?: string,
 *   request?: {body?: string}, response?: {status?: number, headers?: [string, string][], body?: string}}} AnsweredRow
 * What the dialog edits, as texts of its fields. `query` and `requestBody` are those that the rule may be limited to, null for none.
 * @typedef {{name: string, method: string, path: string, endpoint: string, query: string | null, isSameQuery: boolean,
 *   requestBody: string | null, isSameBody: boolean, status: string, headers: string, body: string, latency: string,
 *   times: string, expires: string, when: import("./faults.js").FaultWhen}} AnswerDraft
 */

/** The statuses that are offered as buttons. */
export const commonStatuses = ["200", "204", "400", "401", "403", "404", "409", "422", "429", "500", "503"];

/** The largest body, in bytes. */
export const bodyLimit = 512 * 1024;

/** Header fields that the console rejects: they belong to a connection or follow from the body. */
const refused =
  /^(connection|content-encoding|content-length|keep-alive|proxy-connection|te|trailer|transfer-encoding|upgrade)$/i;

/** Header fields that belong to the moment of a response; the console adds those of the new one. */
const ofTheMoment = /^(age|date|x-request-id)$/i;

const mask = /‹[a-z]+:[0-9a-f]{8}›/;

/** A draft with nothing in it. @returns {AnswerDraft} */
export const blankAnswer = () => ({
  name: "",
  method: "GET",
  path: "/rpc/",
  endpoint: "",
  query: null,
  isSameQuery: false,
  requestBody: null,
  isSameBody: false,
  status: "200",
  headers: "",
  body: "",
  latency: "",
  times: "",
  expires: "900",
  when: {},
});

/** The response of a row, to be edited. @param {AnsweredRow} row @returns {AnswerDraft} */
export function answerOfRow(row) {
  const url = row.url ?? "";
  const cut = url.indexOf("?");
  const { response } = row;
  return {
    ...blankAnswer(),
    method: row.method,
    path: row.path,
    query: cut < 0 ? null : url.slice(cut + 1),
    requestBody: row.request?.body ?? null,
    status: String(response?.status ?? row.status ?? 200),
    headers: lines(keptHeaders(row)),
    // Values that were masked without a harmless name are no longer stored, so a response cannot contain them.
    body: indented((response?.body ?? "").replaceAll(/‹value:[0-9a-f]{8}›/g, "")),
  };
}

/** Whether a response with this status ends after its header (RFC 9110 §6.4.1). @param {string} status */
export const isBodiless = (status) => /^(204|304)$/.test(status.trim());

/**
 * The row whose response a 304 confirmed, which is the app's response: the last earlier 200 to the same URL, undefined for none.
 * @template {{id: string, method: string, path: string, seq?: number, status?: number}} Row
 * @param {{method: string, path: string, seq?: number}} row @param {Row[]} rows
 */
export const confirmedBy = (row, rows) =>
  rows.findLast((one) =>
    one.status === 200 && one.method === row.method && one.path === row.path && (one.seq ?? 0) < (row.seq ?? Infinity)
  );

/** @param {AnsweredRow} row */
const copied = (row) =>
  (row.response?.headers ?? []).filter(([name]) => !refused.test(name) && !ofTheMoment.test(name));

/** @param {AnsweredRow} row */
const keptHeaders = (row) => copied(row).filter(([, value]) => !mask.test(value));

/** How many headers are left out because their values are no longer stored. @param {AnsweredRow} row */
export const lostHeaders = (row) => copied(row).length - keptHeaders(row).length;

/** Whether the response had a body that was not stored. @param {AnsweredRow} row */
export const isAnswerLost = (row) => row.response?.body === undefined && (row.response_bytes ?? 0) > 0;

/** The response of a rule, to be edited. @param {Fault} fault @returns {AnswerDraft} */
export function answerOfRule({ name, match = {}, when = {}, action, expires_at }) {
  return {
    ...blankAnswer(),
    name,
    method: match.method ?? "",
    path: match.path ?? "",
    endpoint: match.endpoint ?? "",
    query: match.query ?? null,
    isSameQuery: match.query !== undefined,
    requestBody: match.body ?? null,
    isSameBody: match.body !== undefined,
    status: String(action.status ?? 200),
    headers: lines(action.headers ?? []),
    body: action.body ?? "",
    latency: action.latency_ms ? String(action.latency_ms) : "",
    times: when.count ? String(when.count) : "",
    expires: expires_at ? "900" : "0",
    when,
  };
}

/** @param {[string, string][]} headers */
const lines = (headers) => headers.map(([name, value]) => `${name}: ${value}`).join("\n");

/**
 * The header fields of a text with one a line, and the number of the first line that is none.
 * @param {string} text
 * @returns {{headers: [string, string][], wrong: number}}
 */
export function headersOf(text) {
  /** @type {[string, string][]} */
  const headers = [];
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const cut = line.indexOf(":");
    const name = line.slice(0, Math.max(cut, 0)).trim();
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || refused.test(name)) return { headers, wrong: index + 1 };
    headers.push([name, line.slice(cut + 1).trim()]);
  }
  return { headers, wrong: 0 };
}

/**
 * The rule of a draft, with its problems by field.
 * @param {AnswerDraft} draft
 * @returns {{rule: FaultDraft & {name: string}, problems: Record<string, {key: string, parameters?: Record<string, number>}>}}
 */
export function ruleOfAnswer(draft) {
  /** @type {Record<string, {key: string, parameters?: Record<string, number>}>} */
  const problems = {};
  const status = whole(draft.status, 200, 599);
  if (status === null) problems.status = { key: "fault.number_bad", parameters: { low: 200, high: 599 } };
  const latency = draft.latency.trim() === "" ? undefined : whole(draft.latency, 1, 600_000);
  if (latency === null) problems.latency = { key: "fault.number_bad", parameters: { low: 1, high: 600_000 } };
  const { headers, wrong } = headersOf(draft.headers);
  if (wrong) problems.headers = { key: "answer.headers_bad", parameters: { line: wrong } };
  if (new TextEncoder().encode(draft.body).length > bodyLimit) problems.body = { key: "answer.body_large" };
  const path = draft.path.trim();
  if (path ? !isPath(path) : !draft.endpoint) problems.path = { key: "compose.path_wrong" };
  const { count: _, ...when } = draft.when;
  return {
    rule: {
      name: draft.name.trim() || nameOf(draft),
      match: {
        ...(draft.method ? { method: draft.method } : {}),
        ...(draft.endpoint ? { endpoint: draft.endpoint } : {}),
        ...(path ? { path } : {}),
        ...(draft.isSameQuery && draft.query !== null ? { query: draft.query } : {}),
        ...(draft.isSameBody && draft.requestBody !== null ? { body: draft.requestBody } : {}),
      },
      when: { ...when, ...(draft.times ? { count: Number(draft.times) } : {}) },
      action: {
        kind: "answer",
        status: status ?? 200,
        ...(headers.length ? { headers } : {}),
        ...(draft.body ? { body: draft.body } : {}),
        ...(latency ? { latency_ms: latency } : {}),
      },
      expires_in_seconds: Number(draft.expires),
    },
    problems,
  };
}

/** The name of a rule that the user did not name. @param {AnswerDraft} draft */
const nameOf = ({ status, method, path, endpoint }) =>
  Array.from([status.trim(), method, path.trim() || endpoint].filter(Boolean).join(" ")).slice(0, 60).join("");

/** A whole number in its range, or null. @param {string} text @param {number} low @param {number} high */
function whole(text, low, high) {
  const value = Number(text.trim());
  return /^\d{1,9}$/.test(text.trim()) && value >= low && value <= high ? value : null;
}

/** JSON with a line for each member, otherwise as it is written; other text stays. @param {string} text */
export function indented(text) {
  if (text.length > 100_000 || text.trim() === "" || !isJSON(text)) return text;
  let [output, depth] = ["", 0];
  const line = () => `\n${"  ".repeat(depth)}`;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[{[]\s*[}\]]|[{}[\],:]|[^\s{}[\],:"]+/g)) {
    if (token === "{" || token === "[") {
      depth += 1;
      output += token + line();
    } else if (token === "}" || token === "]") {
      depth -= 1;
      output += line() + token;
    } else if (token === ",") output += token + line();
    else output += token === ":" ? ": " : token.replace(/^([{[])\s+([}\]])$/, "$1$2");
  }
  return output;
}
