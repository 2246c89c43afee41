// @ts-check
import { quoted } from "./filter-syntax.js";

/**
 * The response of `GET /api/drift`, and of the same for a recording.
 * @typedef {import("./row-view.js").Drift & {count: number, first_seen_at: string, last_seen_at: string,
 *   last_row_id: string}} DriftDifference
 * @typedef {{method: string, endpoint: string, path: string, rows: number, first_seen_at: string, last_seen_at: string,
 *   differences: DriftDifference[]}} DriftEndpoint
 * @typedef {{state: "loading" | "comparing" | "none", source: string, title?: string, version?: string, operations?: number,
 *   notes?: string[], reason?: "not_published" | "unreachable" | "invalid", detail?: string, row_id?: string}} DriftDocument
 * @typedef {{document: DriftDocument, endpoints: DriftEndpoint[], unlisted: number, compared: number, dropped?: number,
 *   elsewhere?: number, coverage?: DriftCoverage}} DriftBody
 * @typedef {{operations: number, seen_operations: number, responses: number, seen_responses: number,
 *   list: {method: string, path: string, rows: number}[]}} DriftCoverage
 */

/** The filter for the rows of an endpoint with drift. @param {Pick<DriftEndpoint, "method" | "endpoint">} of */
export const endpointFilter = ({ method, endpoint }) =>
  `drift:any method:${quoted(method)} endpoint:${quoted(endpoint)}`;
