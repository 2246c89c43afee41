// @ts-check
/**
 * A value of a JSON text, by where it begins; numbers are never converted, so that 64-bit ids stay exact. `pointer` is its
 * RFC 6901 pointer, `begin` the place of its name or else its own.
 * @typedef {{name: string | number | null, pointer: string, at: number, begin: number}} ValueNode
 * A hundred children of a large container, or a hundred such parts.
 * @typedef {{of: ValueNode, from: number, to: number, pointer: string}} PartNode
 * @typedef {ValueNode | PartNode} TreeNode
 * How many children a container has, where each hundredth begins, and where the container ends.
 * @typedef {{count: number, marks: number[], end: number}} Index
 */

/** Children that are shown together. */
export const partSize = 100;
const [quote, comma, colon, openBrace, closeBrace, openBracket, closeBracket, backslash] = [
  34,
  44,
  58,
  123,
  125,
  91,
  93,
  92,
];
const checked = 262_144;

/** An escaped pair of surrogates, an escaped unit, or another escape. */
const escapes = /\\(?:u(d[89ab][\da-f]{2})\\u(d[c-f][\da-f]{2})|u([\da-f]{4})|[^])/gi;
/** Characters that only an escape shows or allows; those that join others are no such. */
const hidden = /["\\\p{Zl}\p{Zp}]|(?![\u200c\u200d])\p{C}/u;

/** A JSON text with characters in place of their `\u` escapes. @param {string} text */
export const readable = (text) =>
  text.replace(escapes, (escape, high, low, unit) => {
    if (escape === "\\/") return "/";
    if (!high && !unit) return escape;
    const character = String.fromCharCode(...[high, low, unit].filter(Boolean).map((digits) => parseInt(digits, 16)));
    return hidden.test(character) ? escape : character;
  });

/** Whether a text is a JSON object or array; one that is large is looked at in its structure alone. @param {string} text */
export function looksLikeJSON(text) {
  if (text.length <= checked) {
    try {
      const value = JSON.parse(text);
      return value !== null && typeof value === "object";
    } catch {
      return false;
    }
  }
  return sourceOf(text) !== null;
}

/**
 * The tree of a text that is a JSON object or array, else null; a large text is parsed only once.
 * @param {string} text
 * @returns {JSONSource | null}
 */
export function sourceOf(text) {
  if (text.length <= checked) return looksLikeJSON(text) ? new JSONSource(text) : null;
  const source = new JSONSource(text);
  if (!source.isContainer(source.root)) return null;
  try {
    return spaceEnd(text, source.index(source.root).end) === text.length ? source : null;
  } catch {
    return null;
  }
}

/** @param {string} text @param {number} at */
function spaceEnd(text, at) {
  let place = at;
  for (
    let code = text.charCodeAt(place);
    code === 32 || code === 10 || code === 13 || code === 9;
    code = text.charCodeAt(place)
  ) place += 1;
  return place;
}

/** Where a string that begins at its quotation mark ends. @param {string} text @param {number} at */
function stringEnd(text, at) {
  let end = at;
  for (;;) {
    end = text.indexOf('"', end + 1);
    if (end < 0) throw new SyntaxError("a string does not end");
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === backslash) slashes += 1;
    if (slashes % 2 === 0) return end + 1;
  }
}

/** Where the value that begins here ends. @param {string} text @param {number} at @throws {SyntaxError} if the text is incomplete */
function valueEnd(text, at) {
  const first = text.charCodeAt(at);
  if (first === quote) return stringEnd(text, at);
  let place = at;
  if (first !== openBrace && first !== openBracket) {
    for (let code = first; place < text.length; code = text.charCodeAt(place)) {
      if (code === comma || code === closeBrace || code === closeBracket || code <= 32) break;
      place += 1;
    }
    if (place === at) throw new SyntaxError("a value is missing");
    return place;
  }
  let depth = 0;
  for (; place < text.length; place += 1) {
    const code = text.charCodeAt(place);
    if (code === quote) place = stringEnd(text, place) - 1;
    else if (code === openBrace || code === openBracket) depth += 1;
    else if (code === closeBrace || code === closeBracket) {
      depth -= 1;
      if (depth === 0) return place + 1;
    }
  }
  throw new SyntaxError("a container does not end");
}

/** A JSON text whose tree is read as it is opened. */
export class JSONSource {
  /** @type {Map<number, Index>} */
  #indexes = new Map();

  /** @param {string} text */
  constructor(text) {
    this.text = text;
  }

  /** The outermost value. @returns {ValueNode} */
  get root() {
    const at = spaceEnd(this.text, 0);
    return { name: null, pointer: "", at, begin: at };
  }

  /** The kind of a node's value. @param {ValueNode} node @returns {"object" | "array" | "string" | "number" | "literal"} */
  kind(node) {
    const code = this.text.charCodeAt(node.at);
    if (code === openBrace) return "object";
    if (code === openBracket) return "array";
    if (code === quote) return "string";
    return code === 45 || (code >= 48 && code <= 57) ? "number" : "literal";
  }

  /** Whether a node may have children. @param {TreeNode} node */
  isContainer(node) {
    return "of" in node || this.kind(node) === "object" || this.kind(node) === "array";
  }

  /** The text of a value as it is written. @param {ValueNode} node */
  written(node) {
    return this.text.slice(node.at, valueEnd(this.text, node.at));
  }

  /** The characters of the string that begins here. @param {number} at */
  string(at) {
    const written = this.text.slice(at, valueEnd(this.text, at));
    try {
      return String(JSON.parse(written));
    } catch {
      return written.slice(1, -1);
    }
  }

  /** @param {ValueNode} node @returns {Index} */
  index(node) {
    const known = this.#indexes.get(node.at);
    if (known) return known;
    /** @type {Index} */
    const index = { count: 0, marks: [], end: 0 };
    const { text } = this;
    const isObject = text.charCodeAt(node.at) === openBrace;
    let at = spaceEnd(text, node.at + 1);
    while (text.charCodeAt(at) !== closeBrace && text.charCodeAt(at) !== closeBracket) {
      if (index.count % partSize === 0) index.marks.push(at);
      at = spaceEnd(text, valueEnd(text, isObject ? this.#afterName(at) : at));
      index.count += 1;
      if (text.charCodeAt(at) === comma) at = spaceEnd(text, at + 1);
      else if (at >= text.length) throw new SyntaxError("a container does not end");
    }
    index.end = at + 1;
    this.#indexes.set(node.at, index);
    return index;
  }

  /** Where the value of a member begins. @param {number} at */
  #afterName(at) {
    const end = spaceEnd(this.text, stringEnd(this.text, at));
    if (this.text.charCodeAt(end) !== colon) throw new SyntaxError("a colon is missing");
    return spaceEnd(this.text, end + 1);
  }

  /** How many children a value has. @param {TreeNode} node */
  count(node) {
    if ("of" in node) return node.to - node.from;
    return this.isContainer(node) ? this.index(node).count : 0;
  }

  /** The children of a node; more than a hundred are in parts. @param {TreeNode} node @returns {TreeNode[]} */
  children(node) {
    const of = "of" in node ? node.of : node;
    const [from, to] = "of" in node ? [node.from, node.to] : [0, this.count(node)];
    if (to - from <= partSize) return this.#values(of, from, to);
    let size = partSize;
    while ((to - from) / size > partSize) size *= partSize;
    return Array.from({ length: Math.ceil((to - from) / size) }, (_, part) => {
      const start = from + part * size;
      return { of, from: start, to: Math.min(to, start + size), pointer: of.pointer };
    });
  }

  /** @param {ValueNode} node @param {number} from @param {number} to @returns {ValueNode[]} */
  #values(node, from, to) {
    const { text } = this;
    const isObject = this.kind(node) === "object";
    /** @type {ValueNode[]} */
    const found = [];
    let number = Math.floor(from / partSize) * partSize;
    let at = this.index(node).marks[number / partSize] ?? 0;
    for (; number < to; number += 1) {
      const begin = isObject ? this.#afterName(at) : at;
      if (number >= from) {
        const name = isObject ? this.string(at) : number;
        const step = String(name).replaceAll("~", "~0").replaceAll("/", "~1");
        found.push({ name, pointer: `${node.pointer}/${step}`, at: begin, begin: at });
      }
      at = spaceEnd(text, spaceEnd(text, valueEnd(text, begin)) + 1);
    }
    return found;
  }

  /** The nodes from the root down to the value or name at this place of the text. @param {number} place @returns {TreeNode[]} */
  pathTo(place) {
    /** @type {TreeNode[]} */
    const path = [this.root];
    for (;;) {
      const last = path.at(-1);
      if (!last || !this.isContainer(last)) return path;
      const children = this.children(last);
      // The last child that begins before the place; a member begins with its name.
      const next = children.findLast((child) => this.begin(child) <= place);
      if (!next) return path;
      path.push(next);
      if (!("of" in next) && place < next.at) return path;
    }
  }

  /** @param {TreeNode} node */
  begin(node) {
    return "of" in node ? this.index(node.of).marks[node.from / partSize] ?? 0 : node.begin;
  }

  /**
   * The places of a text in the source, 10,000 at most; case does not matter.
   * @param {string} needle
   * @returns {number[]}
   */
  find(needle) {
    if (!needle) return [];
    const escaped = JSON.stringify(needle).slice(1, -1).replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    /** @type {number[]} */
    const places = [];
    for (const match of this.text.matchAll(new RegExp(escaped, "gi"))) {
      places.push(match.index);
      if (places.length === 10_000) break;
    }
    return places;
  }

  /**
   * The JSON text of a value with two spaces a level, its numbers as they were written.
   * @param {ValueNode} node
   * @param {string} [indent]
   * @returns {string}
   */
  pretty(node, indent = "") {
    if (!this.isContainer(node)) return this.written(node);
    const isObject = this.kind(node) === "object";
    const deeper = `${indent}  `;
    const parts = this.#values(node, 0, this.count(node)).map((child) =>
      `${deeper}${isObject ? `${JSON.stringify(child.name)}: ` : ""}${this.pretty(child, deeper)}`
    );
    const [open, close] = isObject ? ["{", "}"] : ["[", "]"];
    return parts.length ? `${open}\n${parts.join(",\n")}\n${indent}${close}` : open + close;
  }
}
