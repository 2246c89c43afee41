// @ts-check
import { readable } from "./json-source.js";

/**
 * One response of a search in headers or bodies: the sequence numbers of rows that it finds, and where to continue.
 * @typedef {{matches: number[], next: number, done: boolean}} SearchPart
 * @typedef {{found: Set<number>, isDone: boolean, after: number, over: AbortController}} Search
 */

/** Rows whose responses may have arrived after they were searched. */
const overlap = 200;
/** A text without a field is looked for in headers from this length on: a shorter one is in almost every row's. */
const leastLength = 8;

/**
 * The text for the console to search, as a parameter of its address, or null if the rows are enough.
 * @param {string} field of a term
 * @param {string} value
 */
export function searchOf(field, value) {
  if (field === "body" || field === "header") return `${field}=${encodeURIComponent(value)}`;
  const isPlain = field === "" && value.length >= leastLength && !/[*,]/.test(value);
  return isPlain ? `header=${encodeURIComponent(`=${value}`)}` : null;
}

/**
 * @typedef {{headers?: [string, string][], body?: string}} Message
 */

/**
 * The rows of an export that a search finds, as the console would: a text in bodies, or in headers by `name` or `name=value`; in
 * letters of either case.
 * @param {{seq: number, request?: Message, response?: Message}[]} rows
 * @param {string} search as `searchOf` writes it
 * @returns {SearchPart}
 */
export function searched(rows, search) {
  const at = search.indexOf("=");
  const wanted = decodeURIComponent(search.slice(at + 1)).toLowerCase();
  const split = wanted.indexOf("=");
  const [name, value] = split < 0 ? [wanted, ""] : [wanted.slice(0, split), wanted.slice(split + 1)];
  /** @param {[string, string]} header */
  const isHeader = ([key, text]) =>
    (split < 0 ? key.toLowerCase().includes(name) : !name || key.toLowerCase() === name) && text.toLowerCase().includes(value);
  /** @param {string | undefined} body */
  const isBody = (body) => Boolean(body) && [body ?? "", readable(body ?? "")].some((form) => form.toLowerCase().includes(wanted));
  const matches = (/** @type {Message | undefined} */ message) =>
    search.startsWith("body=") ? isBody(message?.body) : message?.headers?.some(isHeader);
  const found = rows.filter(({ request, response }) => matches(request) || matches(response));
  return { matches: found.map(({ seq }) => seq), next: rows.at(-1)?.seq ?? 0, done: true };
}

/**
 * The results so far of searches in headers and bodies, by the searched text. One runs at a time for each; it ends when it is no
 * longer needed.
 */
export class BodySearch {
  #ask;
  #changed;
  /** @type {Map<string, Search>} */
  searches = new Map();

  /**
   * @param {(text: string, after: number, signal: AbortSignal) => Promise<SearchPart>} ask
   * @param {(error: unknown) => void} changed called whenever something was found or a search ended, with the error of one that failed
   */
  constructor(ask, changed) {
    this.#ask = ask;
    this.#changed = changed;
  }

  /** The sequence numbers found for a text so far, null for one that is not searched. @param {string} text */
  found(text) {
    return this.searches.get(text)?.found ?? null;
  }

  /** Whether a search is under way. */
  get isRunning() {
    return [...this.searches.values()].some((one) => !one.isDone);
  }

  /** Searches for these texts and no others. @param {string[]} texts */
  want(texts) {
    for (const [text, { over }] of this.searches) {
      if (texts.includes(text)) continue;
      over.abort();
      this.searches.delete(text);
    }
    for (const text of texts) {
      if (this.searches.has(text)) continue;
      const search = {
        found: /** @type {Set<number>} */ (new Set()),
        isDone: false,
        after: 0,
        over: new AbortController(),
      };
      this.searches.set(text, search);
      void this.#run(text, search, 0);
    }
  }

  /** Stops the running searches; their results stay. */
  stop() {
    for (const one of this.searches.values()) {
      one.over.abort();
      one.isDone = true;
    }
    this.#changed(null);
  }

  /** Continues where the searches ended, because rows were added; checks the last rows again, because their responses arrived. */
  again() {
    for (const [text, search] of this.searches) {
      if (!search.isDone) continue;
      search.isDone = false;
      search.over = new AbortController();
      void this.#run(text, search, Math.max(0, search.after - overlap));
    }
  }

  /** @param {string} text @param {Search} search @param {number} from */
  async #run(text, search, from) {
    const { signal } = search.over;
    let [after, failure] = [from, /** @type {unknown} */ (null)];
    try {
      while (!search.isDone) {
        const part = await this.#ask(text, after, signal);
        if (signal.aborted) return;
        for (const seq of part.matches) search.found.add(seq);
        search.isDone = part.done || part.next <= after;
        after = Math.max(after, part.next);
        if (part.matches.length && !search.isDone) this.#changed(null);
      }
    } catch (error) {
      if (signal.aborted) return;
      failure = error;
    }
    search.after = after;
    search.isDone = true;
    this.#changed(failure);
  }
}
