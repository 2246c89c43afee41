// @ts-check
/**
 * A row whole, as far as it is compared.
 * @typedef {{headers: [string, string][], body?: string, status?: number}} ComparedMessage
 * @typedef {import("./row-view.js").NetworkRow & {url: string, request: ComparedMessage, response?: ComparedMessage}} ComparedRow
 * A value that differs; a side that lacks it is null. `part` and `name` say where it stands.
 * @typedef {{part: "call" | "request" | "response", name: string, one: string | null, other: string | null}} Difference
 */

/** The most members of a body that are compared one by one. */
const mostMembers = 5000;

/** Headers that differ each time and tell nothing. */
const idle = new Set(["date", "x-request-id", "content-length", "age", "x-nonce", "x-signature"]);

/**
 * What differs between two rows: the call first, then the request, then the response.
 * @param {ComparedRow} one
 * @param {ComparedRow} other
 * @returns {Difference[]}
 */
export function rowDifferences(one, other) {
  return [
    ...differing("call", callOf(one), callOf(other)),
    ...differing("request", partsOf(one.request), partsOf(other.request)),
    ...differing("response", partsOf(one.response), partsOf(other.response)),
  ];
}

/** @param {Difference["part"]} part @param {Map<string, string>} one @param {Map<string, string>} other @returns {Difference[]} */
function differing(part, one, other) {
  return [...new Set([...one.keys(), ...other.keys()])].filter((name) => one.get(name) !== other.get(name))
    .map((name) => ({ part, name, one: one.get(name) ?? null, other: other.get(name) ?? null }));
}

/** @param {ComparedRow} row @returns {Map<string, string>} */
const callOf = (row) =>
  new Map(
    /** @type {[string, unknown][]} */ ([
      ["method", row.method],
      ["url", row.url],
      ["status", row.status],
      ["error", row.error],
      ["source", row.source],
    ]).flatMap(([name, value]) => value === undefined ? [] : [[name, String(value)]]),
  );

/** @param {ComparedMessage | undefined} message @returns {Map<string, string>} */
function partsOf(message) {
  /** @type {Map<string, string>} */
  const parts = new Map();
  for (const [name, value] of message?.headers ?? []) {
    const key = name.toLowerCase();
    if (!idle.has(key)) parts.set(key, parts.has(key) ? `${parts.get(key)}, ${value}` : value);
  }
  if (message?.body === undefined) return parts;
  try {
    for (const [pointer, value] of members(JSON.parse(message.body))) parts.set(pointer || "/", value);
  } catch {
    parts.set("/", message.body);
  }
  return parts;
}

/** The values of a JSON text by their pointers. @param {unknown} root @returns {Map<string, string>} */
function members(root) {
  /** @type {Map<string, string>} */
  const found = new Map();
  /** @type {[string, unknown][]} */
  const open = [["", root]];
  while (open.length && found.size < mostMembers) {
    const [pointer, value] = open.shift() ?? ["", null];
    const entries = typeof value === "object" && value !== null ? Object.entries(value) : [];
    if (!entries.length) found.set(pointer, JSON.stringify(value));
    open.unshift(
      ...entries.map(([name, item]) =>
        /** @type {[string, unknown]} */ ([`${pointer}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`, item])
      ),
    );
  }
  return found;
}
