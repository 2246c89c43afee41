// @ts-check
// Errors of the console's API.

/**
 * A failed call, with the members of the console's problem document (RFC 9457). Two codes come from the page itself: `unreachable`
 * if the console does not answer, and `aborted`.
 */
export class ApiError extends Error {
  /**
   * @param {{status: number, code: string, field?: string, retryAfterSeconds?: number, retryAt?: string, requestId?: string,
   *   detail?: string, reason?: string}} problem
   */
  constructor(problem) {
    super(problem.code);
    this.name = "ApiError";
    /** The HTTP status, 0 where there was no answer. */
    this.status = problem.status;
    this.code = problem.code;
    this.field = problem.field;
    this.retryAfterSeconds = problem.retryAfterSeconds;
    this.retryAt = problem.retryAt;
    this.requestId = problem.requestId;
    this.detail = problem.detail;
    this.reason = problem.reason;
  }

  /** Whether the same call may work later without a change by the person. */
  get isPassing() {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }
}

/**
 * The error of an answer that is not a success; without a problem document, its code follows from the status.
 * @param {number} status
 * @param {unknown} body the parsed body, or null
 * @param {{retryAfter: string | null, requestId: string | null}} headers
 */
export function problemOf(status, body, headers) {
  const fields = /** @type {Record<string, unknown>} */ (body && typeof body === "object" ? body : {});
  /** @param {unknown} value */
  const string = (value) => (typeof value === "string" && value !== "" ? value : undefined);
  /** @param {unknown} value */
  const number = (value) => (typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined);
  const fromHeader = headers.retryAfter && /^\d{1,6}$/.test(headers.retryAfter)
    ? Number(headers.retryAfter)
    : undefined;
  return new ApiError({
    status,
    code: string(fields.code) ?? (status >= 500 ? "unavailable" : "invalid_request"),
    field: string(fields.field),
    retryAfterSeconds: number(fields.retry_after_seconds) ?? fromHeader,
    retryAt: string(fields.retry_at),
    requestId: string(fields.request_id) ?? headers.requestId ?? undefined,
    detail: string(fields.detail),
    reason: string(fields.reason),
  });
}

/**
 * How long to wait before asking again by oneself, in milliseconds: 2 s, doubling to 30 s, and never less than the answer said.
 * @param {number} failures how often in a row it failed, from 1
 * @param {number} [retryAfterSeconds]
 */
export function retryPause(failures, retryAfterSeconds = 0) {
  return Math.max(Math.min(2 ** Math.max(failures, 1), 30), retryAfterSeconds) * 1000;
}

/** The catalogue's key of an error. @param {string} code @param {(key: string) => boolean} has whether the catalogue has a key */
export const problemKey = (code, has) => (has(`error.${code}`) ? `error.${code}` : "error.unknown");

/** Whether the console does not know the device or the browser. @param {unknown} error @param {"device" | "browser"} which */
export const isUnknown = (error, which) =>
  error instanceof ApiError && error.code === "no_device" && error.reason === `${which}_unknown`;
