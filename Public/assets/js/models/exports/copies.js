// @ts-check
/**
 * @typedef {{headers?: [string, string][], body?: string}} Part
 * @typedef {{id: string, url?: string, path: string, method?: string, flow?: string, flow_id?: string, source?: string, request?: Part,
 *   response?: Part}} Source
 * What can be copied of a row: a text of the row itself, or one that the console writes.
 * @typedef {{key: string, text?: string, format?: string}} Copy
 */

/** Headers as in a message, one a line. @param {[string, string][]} headers */
const lines = (headers) => headers.map(([name, value]) => `${name}: ${value}`).join("\n");

/**
 * The parts of a row to copy, in groups; a part that the row does not have is left out.
 * @param {Source} row
 * @returns {Copy[][]}
 */
export function copiesOf(row) {
  /** @param {string} name @param {Part | undefined} part @returns {Copy[]} */
  const of = (name, part) => [
    ...(part?.headers?.length ? [{ key: `${name}_headers`, text: lines(part.headers) }] : []),
    ...(part?.body ? [{ key: `${name}_body`, text: part.body }] : []),
  ];
  return [
    [{ key: "url", text: row.url ?? row.path }],
    ["curl", "swift", "markdown", "har"].map((format) => ({ key: format, format })),
    [...of("request", row.request), ...of("response", row.response)],
  ].filter((group) => group.length > 0);
}
