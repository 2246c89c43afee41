// @ts-check
/**
 * The state of a device, as `GET /api/state` and the event `session` send it.
 * @typedef {{user_id: string, email?: string, phone?: string, display_name?: string, roles?: string[],
 *   created_at?: string, deletion_scheduled_for?: string}} User
 * @typedef {{state: "signed_out"|"authenticated"|"refreshing"|"error", since: string, reason?: string,
 *   tokens_issued_at?: string, access_expires_at?: string, refresh_expires_at?: string, user?: User, row_id?: string,
 *   fault?: {name: string, preset?: string}}} Session `row_id` and `fault` tell what ended it
 * @typedef {{default_language_code?: string, supported_languages?: {code: string, name: string}[],
 *   features?: Record<string, boolean>, auth?: {cooldown_seconds?: number, code_length?: number, trusted_link_hosts?: string[]},
 *   network_log?: {capacity?: number}, session?: {refresh_margin_seconds?: number},
 *   sign_in?: {call: string, fields: string[]}[], hidden?: string[], by_file?: true}} AppConfig `hidden` names what the backend lacks
 * @typedef {{device_id: string, name: string, version: string, session: Session, config: AppConfig | null,
 *   cooldowns?: {identifier_tag: string, retry_at: string}[],
 *   backend: {url: string, embedded: boolean, id: string, clock_ahead_seconds?: number, last_call?: "ok" | "failed" | "none",
 *   file_problem?: string},
 *   faults?: {armed: number}, persons?: boolean, deletion?: object | null,
 *   never_sent_again?: string[], ended_by_fault?: {signal: string, at: string}}} ConsoleState
 */

/** Whether the device is signed in, also during a refresh or after one that failed temporarily. @param {ConsoleState} state */
export const isSignedIn = (state) => state.session.state !== "signed_out";

/** The host and, apart from it, the port of the backend. @param {ConsoleState} state */
export function backendHost(state) {
  try {
    const { hostname, port } = new URL(state.backend.url);
    return [hostname, port && `:${port}`];
  } catch {
    return [state.backend.url, ""];
  }
}

/** Whether sign-in by code is offered. @param {ConsoleState | null} state */
export const offersCode = (state) => state?.config?.features?.login_code !== false;

/** Whether the backend has no calls for a part of the pages. @param {ConsoleState | null} state @param {string} feature */
export const lacks = (state, feature) => state?.config?.hidden?.includes(feature) ?? false;

/** How many digits a code has. @param {ConsoleState | null} state */
export function codeLength(state) {
  const length = state?.config?.auth?.code_length;
  return Number.isInteger(length) && length !== undefined && length >= 4 && length <= 10 ? length : 6;
}

/** The reason for a sign-out, or null if the user requested it or no user was signed in. @param {Session} session */
export function unexpectedEndReason(session) {
  if (session.state !== "signed_out" || !session.reason) return null;
  return session.reason === "user" ? null : session.reason;
}
