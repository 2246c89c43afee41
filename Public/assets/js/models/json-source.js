// @ts-check
/** A number as it is written in the source, so that a 64-bit id does not lie. */
export class WrittenNumber {
  /** @param {string} source */
  constructor(source) {
    this.source = source;
  }
}

/**
 * A value of a JSON text whose numbers are kept as written.
 * @typedef {null | boolean | string | WrittenNumber | JSONArray | JSONObject} JSONValue
 * @typedef {JSONValue[]} JSONArray
 * @typedef {{[name: string]: JSONValue}} JSONObject
 * One line of the tree.
 * @typedef {{name: string | number | null, pointer: string, value: JSONValue}} TreeNode
 */

/**
 * Parses a JSON text with its numbers as written, where the engine tells the source, else as JavaScript prints them.
 * @param {string} text
 * @returns {JSONValue}
 * @throws {SyntaxError} when the text is no JSON
 */
export function parseSource(text) {
  /** @param {string} _key @param {any} value @param {{source?: string}} [context] */
  const revive = (_key, value, context) =>
    typeof value === "number" ? new WrittenNumber(context?.source ?? String(value)) : value;
  return JSON.parse(text, /** @type {(key: string, value: any) => any} */ (revive));
}

/** Whether a value has children to open. @param {JSONValue} value @returns {value is JSONArray | JSONObject} */
export const isContainer = (value) => value !== null && typeof value === "object" && !(value instanceof WrittenNumber);

/** How many children a value has. @param {JSONValue} value */
export function childCount(value) {
  if (!isContainer(value)) return 0;
  return Array.isArray(value) ? value.length : Object.keys(value).length;
}

/**
 * The children of a node from one position on, made only when they are shown.
 * @param {TreeNode} node
 * @param {number} from
 * @param {number} limit
 * @returns {TreeNode[]}
 */
export function childNodes(node, from = 0, limit = 100) {
  const value = node.value;
  if (!isContainer(value)) return [];
  if (Array.isArray(value)) {
    return value.slice(from, from + limit).map((child, offset) => ({
      name: from + offset,
      pointer: `${node.pointer}/${from + offset}`,
      value: child,
    }));
  }
  return Object.entries(value).slice(from, from + limit).map(([name, child]) => ({
    name,
    pointer: `${node.pointer}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`,
    value: child,
  }));
}

/**
 * The JSON text of a value, its numbers as they were written.
 * @param {JSONValue} value
 * @param {string} indent
 * @returns {string}
 */
export function writeSource(value, indent = "") {
  if (value instanceof WrittenNumber) return value.source;
  if (!isContainer(value)) return JSON.stringify(value);
  const deeper = `${indent}  `;
  const parts = Array.isArray(value)
    ? value.map((child) => deeper + writeSource(child, deeper))
    : Object.entries(value).map(([name, child]) => `${deeper}${JSON.stringify(name)}: ${writeSource(child, deeper)}`);
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"];
  return parts.length ? `${open}\n${parts.join(",\n")}\n${indent}${close}` : open + close;
}
