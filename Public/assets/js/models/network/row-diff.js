// @ts-check
import { jsonSteps, parsed } from "./json-diff.js";
import { maskNotes } from "./mask-diff.js";

/**
 * A row whole, as far as it is compared.
 * @typedef {{headers: [string, string][], body?: string, body_note?: string, status?: number}} ComparedMessage
 * @typedef {import("./row-view.js").NetworkRow & {url: string, request: ComparedMessage, response?: ComparedMessage,
 *   timings?: Record<string, number>}} ComparedRow
 * @typedef {"call" | "query" | "request" | "request_body" | "response" | "response_body"} Part
 * A value of one of the rows or of both; a side that lacks it is null. `part` and `name` say where it stands, and `notes` what is
 * known of the values behind its masks.
 * @typedef {{part: Part, name: string, kind: "same" | "changed" | "added" | "removed" | "moved", one: string | null,
 *   other: string | null, notes?: import("./mask-diff.js").MaskNote[]}} Difference
 */

/** Headers that differ each time and are insignificant. */
const idle = new Set(["date", "x-request-id", "content-length", "age", "x-nonce", "x-signature"]);

/**
 * The differences between two rows: the call first, then the request, then the response.
 * @param {ComparedRow} one
 * @param {ComparedRow} other
 * @param {boolean} [listsSame] with what is equal
 * @returns {Difference[]}
 */
export function rowDifferences(one, other, listsSame = false) {
  const found = [
    ...differing("call", callOf(one), callOf(other), listsSame),
    ...differing("query", queryOf(one), queryOf(other), listsSame),
    ...differing("request", headersOf(one.request), headersOf(other.request), listsSame),
    ...bodies("request_body", one.request, other.request, listsSame),
    ...differing("response", headersOf(one.response), headersOf(other.response), listsSame),
    ...bodies("response_body", one.response, other.response, listsSame),
  ];
  return found.map((difference) => {
    const notes = maskNotes(difference.one ?? "", difference.other ?? "");
    return notes.length ? { ...difference, notes } : difference;
  });
}

/** @param {string | null} one @param {string | null} other @returns {Difference["kind"]} */
const kindOf = (one, other) => one === null ? "added" : other === null ? "removed" : one === other ? "same" : "changed";

/**
 * @param {Part} part
 * @param {Map<string, string>} one
 * @param {Map<string, string>} other
 * @param {boolean} listsSame
 * @returns {Difference[]}
 */
const differing = (part, one, other, listsSame) =>
  [...new Set([...one.keys(), ...other.keys()])].map((name) => {
    const [value, otherValue] = [one.get(name) ?? null, other.get(name) ?? null];
    return { part, name, kind: kindOf(value, otherValue), one: value, other: otherValue };
  }).filter(({ kind }) => listsSame || kind !== "same");

/** @param {ComparedRow} row @returns {Map<string, string>} */
const callOf = (row) =>
  new Map(
    /** @type {[string, unknown][]} */ ([
      ["method", row.method],
      ["url", row.url.split("?", 1)[0]],
      ["status", row.status],
      ["error", row.error],
      ["source", row.source],
    ]).flatMap(([name, value]) => value === undefined ? [] : [[name, String(value)]]),
  );

/** The items of the query, decoded. @param {ComparedRow} row @returns {Map<string, string>} */
function queryOf(row) {
  /** @type {Map<string, string>} */
  const items = new Map();
  const at = row.url.indexOf("?");
  if (at < 0) return items;
  for (const [name, value] of new URLSearchParams(row.url.slice(at + 1))) add(items, name, value);
  return items;
}

/** @param {ComparedMessage | undefined} message @returns {Map<string, string>} */
function headersOf(message) {
  /** @type {Map<string, string>} */
  const headers = new Map();
  for (const [name, value] of message?.headers ?? []) {
    if (!idle.has(name.toLowerCase())) add(headers, name.toLowerCase(), value);
  }
  return headers;
}

/** @param {Map<string, string>} values @param {string} name @param {string} value */
const add = (values, name, value) => values.set(name, values.has(name) ? `${values.get(name)}, ${value}` : value);

/** A body as it is compared: as JSON if it is that. @param {ComparedMessage | undefined} message */
function bodyOf(message) {
  const text = message?.body;
  if (text === undefined) return null;
  try {
    return { text, value: parsed(text) };
  } catch {
    return { text };
  }
}

/**
 * @param {Part} part
 * @param {ComparedMessage | undefined} one
 * @param {ComparedMessage | undefined} other
 * @param {boolean} listsSame
 * @returns {Difference[]}
 */
function bodies(part, one, other, listsSame) {
  const [body, otherBody] = [bodyOf(one), bodyOf(other)];
  if (!body && !otherBody) return [];
  if (body && otherBody && "value" in body && "value" in otherBody) {
    try {
      return jsonSteps(body.value, otherBody.value, listsSame).map((step) => ({
        part,
        name: nameOf(step.pointer, step.otherPointer),
        kind: step.kind,
        one: step.one,
        other: step.other,
      }));
    } catch (error) {
      // Values within thousands of others are compared as text.
      if (!(error instanceof RangeError)) throw error;
    }
  }
  const [text, otherText] = [body?.text ?? null, otherBody?.text ?? null];
  const kind = kindOf(text, otherText);
  return kind === "same" && !listsSame ? [] : [{ part, name: "/", kind, one: text, other: otherText }];
}

/** @param {string | null} pointer @param {string | null} otherPointer */
const nameOf = (pointer, otherPointer) =>
  pointer === null || otherPointer === null || pointer === otherPointer
    ? (pointer ?? otherPointer) || "/"
    : `${pointer || "/"} → ${otherPointer || "/"}`;
