// @ts-check
/** Texts by number, each stored once; 0 means none. */
export class TextTable {
  /** @type {string[]} */
  texts = [""];
  /** @type {Map<string, number>} */
  #numbers = new Map();

  /** How many numbers are in use, including 0. */
  get count() {
    return this.texts.length;
  }

  /** The number of a text, given at its first sight. @param {string | undefined | null} text */
  add(text) {
    if (text === undefined || text === null) return 0;
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    const number = this.texts.length;
    this.texts.push(text);
    this.#numbers.set(text, number);
    return number;
  }

  /** @param {number} number */
  text(number) {
    return this.texts[number] ?? "";
  }
}

const hexadecimal = "0123456789abcdef";
const dashes = new Set([8, 13, 18, 23]);

/**
 * Ids by number, from 1 on. A lower-case UUID is stored as 16 bytes outside the JavaScript heap; other texts are stored as they are.
 */
export class IdTable {
  count = 1;
  words = new Uint32Array(4 * 1024);
  #buckets = new Uint32Array(4096);
  /** @type {Map<string, number>} */
  #odd = new Map();
  /** @type {Map<number, string>} */
  #oddTexts = new Map();
  #scratch = new Uint32Array(4);

  /** The number of an id, given at its first sight; 0 for none. @param {string | undefined | null} id */
  add(id) {
    return id ? this.#numberOf(id, true) : 0;
  }

  /** The number of an id, or 0 if it is unknown. @param {string} id */
  find(id) {
    return this.#numberOf(id, false);
  }

  /** @param {string} id @param {boolean} isNew whether to store an unseen one */
  #numberOf(id, isNew) {
    if (!this.#parse(id)) {
      const known = this.#odd.get(id);
      if (known !== undefined || !isNew) return known ?? 0;
      const number = this.#next();
      this.#odd.set(id, number);
      this.#oddTexts.set(number, id);
      return number;
    }
    const [a = 0, b = 0, c = 0, d = 0] = this.#scratch;
    const mask = this.#buckets.length - 1;
    let bucket = hash(a, b, c, d) & mask;
    for (;;) {
      const number = this.#buckets[bucket] ?? 0;
      if (number === 0) break;
      const at = number * 4;
      const { words } = this;
      if (words[at] === a && words[at + 1] === b && words[at + 2] === c && words[at + 3] === d) return number;
      bucket = (bucket + 1) & mask;
    }
    if (!isNew) return 0;
    const number = this.#next();
    this.words.set(this.#scratch, number * 4);
    this.#buckets[bucket] = number;
    if (this.count * 2 > this.#buckets.length) this.#rehash();
    return number;
  }

  #next() {
    const number = this.count;
    this.count += 1;
    if (this.count * 4 > this.words.length) {
      const larger = new Uint32Array(this.words.length * 2);
      larger.set(this.words);
      this.words = larger;
    }
    return number;
  }

  #rehash() {
    const buckets = new Uint32Array(this.#buckets.length * 4);
    const mask = buckets.length - 1;
    const { words } = this;
    for (let number = 1; number < this.count; number += 1) {
      if (this.#oddTexts.has(number)) continue;
      const at = number * 4;
      let bucket = hash(words[at] ?? 0, words[at + 1] ?? 0, words[at + 2] ?? 0, words[at + 3] ?? 0) & mask;
      while (buckets[bucket]) bucket = (bucket + 1) & mask;
      buckets[bucket] = number;
    }
    this.#buckets = buckets;
  }

  /** Reads a UUID into `scratch`; false when the text is none. @param {string} id */
  #parse(id) {
    if (id.length !== 36) return false;
    let [digits, word] = [0, 0];
    for (let at = 0; at < 36; at += 1) {
      const code = id.charCodeAt(at);
      if (code === 45) {
        if (!dashes.has(at)) return false;
        continue;
      }
      const digit = code >= 48 && code <= 57 ? code - 48 : code >= 97 && code <= 102 ? code - 87 : -1;
      if (digit < 0) return false;
      word = (word << 4) | digit;
      digits += 1;
      if (digits % 8 === 0) this.#scratch[digits / 8 - 1] = word >>> 0;
    }
    return digits === 32;
  }

  /** The id of a number. @param {number} number */
  text(number) {
    if (number <= 0 || number >= this.count) return "";
    const odd = this.#oddTexts.get(number);
    if (odd !== undefined) return odd;
    let text = "";
    for (let digit = 0; digit < 32; digit += 1) {
      if (digit === 8 || digit === 12 || digit === 16 || digit === 20) text += "-";
      text += hexadecimal[((this.words[number * 4 + (digit >> 3)] ?? 0) >>> (28 - 4 * (digit & 7))) & 15];
    }
    return text;
  }
}

/** @param {number} a @param {number} b @param {number} c @param {number} d */
function hash(a, b, c, d) {
  let mixed = Math.imul(a ^ (b >>> 3), 0x9e3779b1) ^ Math.imul(c ^ (d << 5), 0x85ebca6b) ^ Math.imul(b ^ d, 0xc2b2ae35);
  mixed ^= mixed >>> 15;
  return (mixed ^ (mixed >>> 7)) >>> 0;
}

/** The numbers of rows in one array for each member, by slot. @param {number} size */
export const columns = (size) => ({
  seq: new Float64Array(size),
  rev: new Float64Array(size),
  started: new Float64Array(size),
  duration: new Float64Array(size),
  setup: new Float32Array(size),
  wait: new Float32Array(size),
  requestBytes: new Float64Array(size),
  responseBytes: new Float64Array(size),
  id: new Uint32Array(size),
  call: new Uint32Array(size),
  flow: new Uint32Array(size),
  parent: new Uint32Array(size),
  method: new Uint32Array(size),
  path: new Uint32Array(size),
  host: new Uint32Array(size),
  endpoint: new Uint32Array(size),
  flowName: new Uint32Array(size),
  error: new Uint32Array(size),
  errorDetail: new Uint32Array(size),
  query: new Uint32Array(size),
  fault: new Uint32Array(size),
  trace: new Uint32Array(size),
  status: new Uint16Array(size),
  attempt: new Uint16Array(size),
  state: new Uint8Array(size),
  source: new Uint8Array(size),
  flags: new Uint8Array(size),
});
