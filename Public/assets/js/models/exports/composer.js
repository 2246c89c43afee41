// @ts-check
/**
 * @typedef {{method: string, path: string, query: string, headers: [string, string][], body: string,
 *   auth: boolean, confirm: boolean}} Draft
 * @typedef {{id: string, method: string, path: string, url?: string, flow?: string, source?: string, parent_id?: string,
 *   request_bytes?: number,
 *   request?: {headers?: [string, string][], body?: string, body_note?: string}}} Sent
 */

/** The methods that can be sent. */
export const methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];

/** Whether a method promises to change nothing. @param {string} method */
export const isSafe = (method) => ["GET", "HEAD", "OPTIONS"].includes(method);

/** Whether a row is another one, sent again. @param {{source?: string, parent_id?: string}} row */
export const isSentAgain = ({ source, parent_id: parent }) => source === "replay" && Boolean(parent);

/** An empty draft of a custom request. @returns {Draft} */
export const blankDraft = () => ({ method: "GET", path: "/rpc/", query: "", headers: [], body: "", auth: true, confirm: false });

/** Header fields that only the client or the connection may set. */
const reserved = new Set(
  ("authorization proxy-authorization proxy-connection cookie host content-length content-encoding accept-encoding " +
    "transfer-encoding trailer connection expect te upgrade keep-alive x-api-id x-nonce x-signature x-request-id " +
    "x-device-id idempotency-key").split(" "),
);

/** Whether the client writes a header field itself. @param {string} name */
export const isReserved = (name) => reserved.has(name.trim().toLowerCase());

/** The client's default header fields. @type {Record<string, RegExp>} */
const defaults = { accept: /^application\/json$/, "content-type": /^application\/json$/, "user-agent": /^understudy/i };

/**
 * The headers that a person wrote for a row's request; a value that was masked for its name alone is empty, because it is no
 * longer stored.
 * @param {Sent} row
 * @returns {[string, string][]}
 */
function writtenHeaders(row) {
  if (row.flow !== "compose" && row.flow !== "replay") return [];
  return (row.request?.headers ?? [])
    .filter(([name, value]) => !isReserved(name) && !defaults[name.toLowerCase()]?.test(value))
    .map(([name, value]) => [name, value.replaceAll(/‹header:[0-9a-f]{8}›/g, "")]);
}

/** A row as it would be sent again. @param {Sent} row @returns {Draft} */
export function draftOf(row) {
  const url = row.url ?? row.path;
  const cut = url.indexOf("?");
  return {
    method: row.method,
    path: row.path,
    query: cut < 0 ? "" : url.slice(cut + 1),
    headers: writtenHeaders(row),
    body: row.request?.body ?? "",
    auth: Boolean(row.request?.headers?.some(([name]) => name.toLowerCase() === "authorization")),
    confirm: false,
  };
}

/**
 * Whether the console rejects sending a row again, by the paths of its state.
 * @param {{path: string}} row
 * @param {string[]} [paths]
 */
export const isNeverSentAgain = ({ path }, paths = []) => paths.includes(path);

/** Whether the request had a body that was not stored and must be typed again. @param {Sent} row */
export const isBodyLost = (row) => row.request?.body === undefined && (row.request_bytes ?? 0) > 0;

const mask = /‹[a-z]+:[0-9a-f]{8}›/g;

/**
 * The first mask of a draft, which is filled in again on the way out.
 * @param {Pick<Draft, "path" | "query" | "body"> & {headers?: [string, string][]}} draft
 */
export const firstMask = (draft) =>
  `${draft.path} ${draft.query} ${(draft.headers ?? []).flat().join(" ")} ${draft.body}`.match(mask)?.[0] ?? null;

/** @param {string} text */
function decoded(text) {
  let before = "";
  let now = text;
  while (now !== before) {
    before = now;
    now = now.replace(/%([0-9a-f]{2})/gi, (_, digits) => String.fromCharCode(Number.parseInt(digits, 16)));
  }
  return now;
}

/** Whether a path leads to the configured backend and nowhere else, as the console sees it. @param {string} path */
export function isPath(path) {
  const bare = path.replace(mask, "x");
  if (!/^\/(?!\/)[\w\-.~%!$&'()*+,;=:@/]*$/.test(bare) || /%(?![0-9a-f]{2})/i.test(bare)) return false;
  const plain = decoded(bare);
  return !plain.split("/").some((one) => /^\.\.?(;|$)/.test(one)) &&
    !Array.from(plain).some((one) => /[\\#?]/.test(one) || one < " " || one === "\u007f");
}

/**
 * A pasted address or path with its query, taken apart: the path, and the query if the text has one.
 * @param {string} text
 * @returns {{path: string, query: string | null}}
 */
export function splitTarget(text) {
  const [, path = "", query] = /^(?:https?:\/\/[^/?#]*)?([^?#]*)(?:\?([^#]*))?/i.exec(text.trim()) ?? [];
  return { path: path || (/^https?:/i.test(text.trim()) ? "/" : path), query: query ?? null };
}

/** Whether a query can be sent as it is. @param {string} query */
export const isQuery = (query) =>
  !query.startsWith("?") && /^[\w\-.~%!$&'()*+,;=:@/?[\]]*$/.test(query.replace(mask, "x"));

/**
 * The error of a header, as the key of its sentence; null if it can be sent.
 * @param {[string, string]} header
 */
function headerProblem([name, value]) {
  if (isReserved(name)) return "compose.header_reserved";
  if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || !/^[\t\x20-\x7e]*$/.test(value.replaceAll(mask, "x"))) return "compose.header_wrong";
  return null;
}

/** The maximum number of custom headers, and the maximum total bytes of their names and values. */
export const headerLimits = { count: 32, bytes: 8192 };

/** Whether there are more headers than can be sent. @param {[string, string][]} headers */
const isOverLimit = (headers) =>
  headers.length > headerLimits.count || headers.flat().reduce((sum, text) => sum + text.length, 0) > headerLimits.bytes;

/** Whether a body is JSON or empty. @param {string} body */
export function isJSON(body) {
  if (body.trim() === "") return true;
  try {
    JSON.parse(body);
    return true;
  } catch {
    return false;
  }
}

/**
 * The errors that prevent sending a draft, by field; empty if there are none. A body that is not JSON is sent anyway.
 * @param {Draft} draft
 * @returns {{field: "path" | "query" | "headers" | "confirm", key: string, at?: number}[]} `at` is the header's place
 */
export function problemsOf(draft) {
  /** @type {{field: "path" | "query" | "headers" | "confirm", key: string, at?: number}[]} */
  const problems = [];
  if (!isPath(draft.path)) problems.push({ field: "path", key: "compose.path_wrong" });
  if (!isQuery(draft.query)) problems.push({ field: "query", key: "compose.query_wrong" });
  draft.headers.forEach((header, at) => {
    const key = headerProblem(header);
    if (key) problems.push({ field: "headers", key, at });
  });
  if (isOverLimit(draft.headers)) problems.push({ field: "headers", key: "compose.headers_limit" });
  if (!isSafe(draft.method) && !draft.confirm) problems.push({ field: "confirm", key: "compose.confirm_missing" });
  return problems;
}

/** The body with the line ends of a form in parts, of which a text field keeps only the second byte. @param {Draft} draft */
const bodyOnTheWire = ({ headers, body }) =>
  headers.some(([name, value]) => name.toLowerCase() === "content-type" && /^multipart\//i.test(value))
    ? body.replaceAll(/\r?\n/g, "\r\n")
    : body;

/**
 * The call that sends a draft: a replay if its method and sign-in are those of the row, else a new request.
 * @param {Draft} draft
 * @param {Sent | null} row that is sent again
 */
export function callOf(draft, row) {
  const body = isSafe(draft.method) || draft.body === "" ? {} : { body: bodyOnTheWire(draft) };
  const common = { path: draft.path, query: draft.query, headers: draft.headers, ...body, confirm: draft.confirm };
  if (row && draft.method === row.method && draft.auth === draftOf(row).auth) {
    return { path: `/api/network/${encodeURIComponent(row.id)}/replay`, body: common };
  }
  return { path: "/api/network/requests", body: { ...common, method: draft.method, auth: draft.auth } };
}
