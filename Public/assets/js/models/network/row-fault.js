// @ts-check
/**
 * The fault rule that acted on a row, as it was then; a row of an earlier version only has its id.
 * @typedef {{name: string, action: string, preset?: string}} RowFault
 * @typedef {{source?: string, status?: number, error?: string, fault_id?: string, fault?: RowFault}} Faulted
 */

/** The keys of the rules' effects, by kind. @type {Record<string, string>} */
const sentences = {
  status: "detail.fault.responded",
  rate_limit: "detail.fault.responded",
  expire_access_token: "detail.fault.responded",
  revoke_refresh_token: "detail.fault.responded",
  unregister_device: "detail.fault.responded",
  answer: "detail.fault.responded",
  offline: "detail.fault.stopped",
  timeout: "detail.fault.stopped",
  pin_mismatch: "detail.fault.stopped",
  tls_failure: "detail.fault.stopped",
  reset: "detail.fault.discarded",
  malformed_body: "detail.fault.changed",
  mangle_fields: "detail.fault.changed",
  latency: "detail.fault.delayed",
  clock_skew: "detail.fault.clock",
};

/** Whether a fault rule acted on a row. @param {Faulted} row */
export const isFaulted = (row) => row.source === "fault" || row.fault_id !== undefined;

/** The key of the sentence about the rule; all but one name it. @param {Faulted} row */
export function faultKey({ status, error, fault }) {
  if (!fault) return "detail.fault.unnamed";
  const key = Object.hasOwn(sentences, fault.action) ? sentences[fault.action] ?? "" : "detail.fault.acted";
  // The backend may have failed before there was a response to discard or to change.
  const isOther = key === "detail.fault.discarded"
    ? error !== "connection_lost"
    : key === "detail.fault.changed" && status === undefined;
  return isOther ? "detail.fault.acted" : key;
}

/** Whether the rule blocked the request, so that the backend is not the cause. @param {Faulted} row */
export const isKeptFromBackend = (row) =>
  row.source === "fault" && ["detail.fault.responded", "detail.fault.stopped"].includes(faultKey(row));
