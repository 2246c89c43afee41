// @ts-check
import { isKeptFromBackend } from "./row-fault.js";
import { callName } from "./row-view.js";

/**
 * @typedef {import("./row-view.js").NetworkRow} NetworkRow
 * One thing that happened: `key` names its sentence in the catalogue; `row` is the row that it is about.
 * @typedef {{key: string, parameters?: Record<string, string | number>, row?: string}} Happening
 */

/** The error words and backend's codes that have a sentence of their own; others are described by their status. */
export const causeWords = new Set([
  "ErrAccessTokenExpired",
  "ErrRefreshTokenExpired",
  "ErrDeviceNotRegistered",
  "invalid_token",
  "refresh_token_reused",
  "login_link_invalid",
  "login_code_invalid",
  "invalid_signature",
  "signature_rejected",
  "unauthorized",
  "forbidden",
  "not_found",
  "rate_limited",
  "too_many_attempts",
  "conflict",
  "server_error",
  "transport",
  "unexpected_payload",
  "offline",
  "timeout",
  "connection_lost",
  "cancelled",
  "pin_mismatch",
  "tls_failed",
  "session_ended",
  "storage_full",
  "interrupted",
  "proxy_page",
]);

/** Codes after which the client signs its device out. */
const endings = new Set(["ErrRefreshTokenExpired", "ErrDeviceNotRegistered"]);
/** Codes of a 401 that do not concern the session. */
const harmless = new Set(["invalid_signature", "signature_rejected", "login_link_invalid", "login_code_invalid"]);
/** The statuses of a refresh that leave its token as it was. */
const waits = new Set([408, 425, 429]);
/** The errors of a row without a code of the backend's. */
const anonymous = new Set(["rejected", "forbidden", "not_found"]);

/**
 * Whether another program's client made a row, without further data: each of the client's own calls is part of a user action.
 * @param {NetworkRow} row
 */
export const isOfAnotherClient = ({ flow }) => flow === "";

/** Whether a row ended in an error. @param {NetworkRow} row */
const hasFailed = (row) => row.state === "failure" || row.state === "cancelled" || (row.status ?? 0) >= 400;

/** The backend's code in a response's JSON, or null if it has none. @param {string | undefined} body */
export function codeOf(body) {
  if (!body || body.length > 20_000) return null;
  try {
    const { error, code, type } = JSON.parse(body) ?? {};
    const last = typeof type === "string" && type !== "about:blank" ? type.split("?")[0]?.split(/[/#:]/).at(-1) : null;
    const found = [error?.code, code, error, last].find((one) => typeof one === "string" && /^[\w-]{1,64}$/.test(one));
    return found?.replaceAll("-", "_") ?? null;
  } catch {
    return null;
  }
}

/**
 * Why a row failed and the client's next steps, the reason first; empty for a row that did not fail. If a fault rule blocked the
 * request, it is the reason (`faultKey`).
 * @param {NetworkRow} row
 * @param {string | null} code the backend's code, if the response had one
 * @param {{call: NetworkRow[], children: NetworkRow[], parent: NetworkRow | null}} related rows of the same call, rows that this
 *   one caused, and the row that caused it
 * @returns {Happening[]}
 */
export function causeOf(row, code, related) {
  if (!hasFailed(row)) return [];
  /** @type {Happening[]} */
  const told = isKeptFromBackend(row) ? [] : [reason(row, code)];
  const cause = triggered(row, related.parent);
  if (cause) told.push(cause);
  const refresh = related.children.find((one) => isRefresh(one) && one.call_id !== row.call_id);
  if (refresh) told.push({ key: outcome("cause.refreshed", refresh), row: refresh.id });
  const next = related.call.filter((one) => one.seq > row.seq).toSorted((one, other) => one.seq - other.seq)[0];
  if (next) {
    told.push({
      key: outcome(refresh ? "cause.sent_again" : "cause.retried", next),
      parameters: { n: next.attempt },
      row: next.id,
    });
  } else if (isOfAnotherClient(row)) return told;
  else if (isEnding(row, code, related.call)) told.push({ key: "cause.signed_out" });
  else if (row.state !== "cancelled") {
    told.push({ key: refresh && hasFailed(refresh) ? "cause.gave_up_refresh" : "cause.gave_up" });
  }
  return told;
}

/**
 * The cause of the row; null if that is another attempt of its call, or no row.
 * @param {NetworkRow} row
 * @param {NetworkRow | null} parent
 * @returns {Happening | null}
 */
export function triggered(row, parent) {
  if (!parent || parent.call_id === row.call_id) return null;
  const { id, seq, status, error } = parent;
  const call = `${callName(parent)} #${seq}${status || error ? ` (${status ?? error})` : ""}`;
  return { key: isRefresh(row) ? "cause.for_refresh" : "cause.for", parameters: { call }, row: id };
}

/** @param {NetworkRow} row */
const isRefresh = (row) => row.endpoint.includes("refresh");

/** @param {NetworkRow} row @param {string | null} code @returns {Happening} */
function reason(row, code) {
  const { status } = row;
  // The meaning of another backend's code is unknown; the importer reports that a proxy wrote the response.
  const isForeign = isOfAnotherClient(row) && status !== undefined && status >= 400 && row.error !== "proxy_page";
  const word = isForeign ? null : [code, row.error].find((one) => one && causeWords.has(one));
  if (word) return { key: `cause.${word}` };
  if (status === undefined) return { key: "cause.no_answer" };
  const parameters = { status: String(status), code: code ?? row.error ?? "" };
  const family = status >= 500 ? "cause.status_5xx" : status === 429 ? "cause.rate_limited" : "cause.status_4xx";
  return { key: family, parameters };
}

/** @param {NetworkRow} row @param {string | null} code @param {NetworkRow[]} call the rows of its call */
function isEnding(row, code, call) {
  const word = code ?? row.error ?? "";
  if (row.error === "session_ended" || endings.has(word)) return true;
  const status = row.status ?? 0;
  if (harmless.has(word) || status < 400 || status > 499 || waits.has(status)) return false;
  if (isRefresh(row)) return status === 401 || !anonymous.has(word);
  return status === 401 && call.some((one) => one.seq < row.seq && one.status === 401);
}

/** @param {string} key @param {NetworkRow} row */
const outcome = (key, row) =>
  row.state === "pending" || row.state === "waiting"
    ? `${key}.open`
    : hasFailed(row)
    ? `${key}.failed`
    : `${key}.worked`;
