// @ts-check
/**
 * How long a page waits before it sends a request again, in milliseconds: 2 s, doubling to 30 s, and never less than the response
 * requires.
 * @param {number} failures how often in a row it failed, from 1
 * @param {number} [retryAfterSeconds]
 */
export function retryPause(failures, retryAfterSeconds = 0) {
  return Math.max(Math.min(2 ** Math.max(failures, 1), 30), retryAfterSeconds) * 1000;
}

/**
 * When a page loads its content again, in milliseconds, or null if it waits for the person: after the backend's requested wait,
 * three times in a row at most.
 * @param {{failures: number, waits: number}} inARow how often it failed, and was asked to wait, from 1
 * @param {{retryAfterSeconds?: number, reason?: string}} error
 */
export function asksAgain({ failures, waits }, { retryAfterSeconds, reason }) {
  if (reason !== "backend_wait") return retryPause(failures, retryAfterSeconds);
  return waits > 3 ? null : (retryAfterSeconds ?? 0) * 1000;
}
