// @ts-check
/**
 * One answer of a search in bodies: the sequence numbers of rows that hold the text, and where to go on.
 * @typedef {{matches: number[], next: number, done: boolean}} SearchPart
 */

/**
 * What searches in bodies have found so far, by text. One search a text runs at a time; it ends when the text is no longer asked for.
 */
export class BodySearch {
  /**
   * @param {(text: string, after: number, signal: AbortSignal) => Promise<SearchPart>} ask
   * @param {(error: unknown) => void} changed called whenever something was found or a search ended, with the error of one that failed
   */
  constructor(ask, changed) {
    this.ask = ask;
    this.changed = changed;
    /** @type {Map<string, {found: Set<number>, isDone: boolean, over: AbortController}>} */
    this.searches = new Map();
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
    for (const text of texts) if (!this.searches.has(text)) void this.run(text);
  }

  /** Ends what is under way; what was found stays. */
  stop() {
    for (const one of this.searches.values()) {
      one.over.abort();
      one.isDone = true;
    }
    this.changed(null);
  }

  /** Forgets what was found for texts that are still wanted, as the rows changed, and searches anew. */
  again() {
    const texts = [...this.searches.keys()];
    this.want([]);
    this.want(texts);
  }

  /** @param {string} text */
  async run(text) {
    const search = { found: /** @type {Set<number>} */ (new Set()), isDone: false, over: new AbortController() };
    this.searches.set(text, search);
    const { signal } = search.over;
    let [after, failure] = [0, /** @type {unknown} */ (null)];
    try {
      while (!search.isDone && !signal.aborted) {
        const part = await this.ask(text, after, signal);
        if (signal.aborted) return;
        for (const seq of part.matches) search.found.add(seq);
        search.isDone = part.done || part.next === after;
        after = part.next;
        if (part.matches.length && !search.isDone) this.changed(null);
      }
    } catch (error) {
      if (signal.aborted) return;
      failure = error;
    }
    search.isDone = true;
    this.changed(failure);
  }
}
