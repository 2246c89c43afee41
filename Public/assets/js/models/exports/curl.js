// @ts-check
import { blankDraft, isReserved, methods } from "./composer.js";
import { shellWords } from "./shell-words.js";

/**
 * The first request read from a curl command: the draft, the origin that the command names, what the draft leaves out, without
 * values that may be secret, and whether other requests follow.
 * @typedef {{draft: import("./composer.js").Draft, origin: string, left: string[], isFirst: boolean}} Imported
 */

/** Long names of the options with a short one. @type {Record<string, string>} */
const long = {
  X: "request", d: "data", H: "header", G: "get", I: "head", u: "user", b: "cookie", A: "user-agent", e: "referer",
  F: "form", T: "upload-file", o: "output", x: "proxy", m: "max-time", E: "cert", w: "write-out", c: "cookie-jar",
  D: "dump-header", K: "config", U: "proxy-user", r: "range", C: "continue-at", Y: "speed-limit", y: "speed-time",
  z: "time-cond", Q: "quote", P: "ftp-port", t: "telnet-option",
};

/** The options with a value that a draft has no place for. */
const valued = new Set([
  "user", "form", "form-string", "upload-file", "output", "proxy", "max-time", "cert", "key", "cacert", "capath", "write-out",
  "cookie-jar", "dump-header", "config", "proxy-user", "continue-at", "speed-limit", "speed-time", "time-cond", "quote",
  "ftp-port", "telnet-option", "connect-timeout", "retry", "retry-delay", "retry-max-time", "max-redirs", "resolve",
  "connect-to", "interface", "limit-rate", "ciphers", "tls-max", "pinnedpubkey", "oauth2-bearer", "aws-sigv4", "stderr",
  "dns-servers", "unix-socket", "max-filesize", "noproxy", "cert-type", "key-type", "pass", "trace", "trace-ascii",
]);

const data = new Set(["data", "data-raw", "data-binary", "data-ascii", "data-urlencode", "json"]);
const own = new Set(["request", "header", "cookie", "user-agent", "referer", "range", "url", ...data]);

/** @param {string} word */
const isCurl = (word) => /(^|[/\\])curl(\.exe)?$/i.test(word);

/**
 * The request of a curl command; null if the text is none, names no address, or has an open quote.
 * @param {string} text
 * @returns {Imported | null}
 */
export function fromCurl(text) {
  const words = shellWords(text.trim());
  const start = words?.findIndex(isCurl) ?? -1;
  if (!words || start < 0) return null;
  const command = new Command();
  for (let at = start + 1; at < words.length; at += 1) {
    const word = words[at] ?? "";
    // What follows is another command, or another request of this one.
    if (/^(;|\||&&|\|\||&|>|>>)$/.test(word) || word === "--next" || word === "-:" || (isCurl(word) && command.hasAddress)) {
      if (isCurl(word) || word.startsWith("-") || words.slice(at).some(isCurl)) command.isFirst = true;
      command.leaveBehind(word, words[at + 1]);
      break;
    }
    if (word.startsWith("--") && word.length > 2) {
      const name = word.slice(2);
      if (own.has(name) || valued.has(name)) command.take(name, words[at += 1] ?? "", word);
      else command.flag(name, word);
    } else if (/^-[^-]/.test(word)) {
      for (let place = 1; place < word.length; place += 1) {
        const letter = word[place] ?? "";
        const name = long[letter] ?? letter;
        if (own.has(name) || valued.has(name)) {
          const rest = word.slice(place + 1);
          command.take(name, rest || (words[at += 1] ?? ""), `-${letter}`);
          break;
        }
        command.flag(name, `-${letter}`);
      }
    } else if (word !== "--") command.address(word);
  }
  return command.result();
}

/** What a command says so far. */
class Command {
  /** @type {string | null} */
  #method = null;
  /** @type {URL | null} */
  #url = null;
  /** @type {string[]} */
  #data = [];
  /** @type {[string, string][]} */
  #headers = [];
  #isJSON = false;
  #isQuery = false;
  #isHead = false;
  #hasToken = false;
  /** @type {string[]} */
  #left = [];
  /** Whether other requests follow. */
  isFirst = false;

  get hasAddress() {
    return this.#url !== null;
  }

  /** @param {string} name @param {string} word as it is written */
  flag(name, word) {
    if (name === "get") this.#isQuery = true;
    else if (name === "head") this.#isHead = true;
    else this.#leave(word);
  }

  /** @param {string} name @param {string} value @param {string} word as it is written */
  take(name, value, word) {
    if (name === "request") this.#method = value.toUpperCase();
    else if (name === "url") this.address(value);
    else if (name === "header") this.#header(value);
    else if (name === "user-agent") this.#headers.push(["User-Agent", value]);
    else if (name === "referer") this.#headers.push(["Referer", value]);
    else if (name === "range") this.#headers.push(["Range", `bytes=${value}`]);
    else if (data.has(name)) this.#add(name, value, word);
    else {
      if (name === "oauth2-bearer") this.#hasToken = true;
      this.#leave(word);
    }
  }

  /** Names another command by its first word. @param {string} mark what stands before it @param {string} [first] */
  leaveBehind(mark, first) {
    if (first && /^[;|&>]/.test(mark) && !isCurl(first)) this.#leave(`${mark} ${first.replace(/=[^]*/, "=…")}`);
  }

  /** @param {string} text */
  address(text) {
    const written = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`;
    if (this.#url && URL.canParse(written)) this.isFirst = true;
    if (this.#url || !URL.canParse(written)) return this.#leave(text.replace(/\/\/[^/@]*@/, "//…@"));
    this.#url = new URL(written);
    if (this.#url.username || this.#url.password) this.#leave(`${this.#url.protocol}//…@`);
  }

  /** @param {string} line */
  #header(line) {
    const [, name, mark, value] = /^\s*([^:;]*?)\s*([:;])\s*([\s\S]*?)\s*$/.exec(line) ?? [];
    if (!name || (mark === ":" && !value) || (mark === ";" && value)) return this.#leave(`-H ${name || "…"}`);
    if (name.toLowerCase() === "authorization") this.#hasToken = true;
    if (isReserved(name)) return this.#leave(name);
    this.#headers.push([name, value ?? ""]);
  }

  /** @param {string} name @param {string} value @param {string} word */
  #add(name, value, word) {
    const isFile = value.startsWith("@") && name !== "data-raw" || name === "data-urlencode" && /^[^=]*@/.test(value);
    if (isFile) return this.#leave(`${word} ${value}`);
    if (name === "json") this.#isJSON = true;
    if (name !== "data-urlencode") this.#data.push(value);
    else {
      const cut = value.indexOf("=");
      const [key, content] = cut < 0 ? ["", value] : [value.slice(0, cut), value.slice(cut + 1)];
      this.#data.push(`${key ? `${key}=` : ""}${encodeURIComponent(content).replaceAll("%20", "+")}`);
    }
  }

  /** @param {string} text */
  #leave(text) {
    if (!this.#left.includes(text)) this.#left.push(text);
  }

  /** @returns {Imported | null} */
  result() {
    const url = this.#url;
    if (!url) return null;
    const text = this.#data.join(this.#isJSON ? "" : "&");
    const hasBody = this.#data.length > 0 && !this.#isQuery;
    let method = this.#method ?? (this.#isHead ? "HEAD" : hasBody ? "POST" : "GET");
    if (!methods.includes(method)) {
      this.#leave(`-X ${method}`);
      method = hasBody ? "POST" : "GET";
    }
    const query = [url.search.slice(1), this.#isQuery ? text : ""].filter(Boolean).join("&");
    const hasType = this.#headers.some(([name]) => name.toLowerCase() === "content-type");
    if (hasBody && !hasType && !this.#isJSON) this.#headers.push(["Content-Type", "application/x-www-form-urlencoded"]);
    if (url.hash) this.#leave(url.hash);
    return {
      draft: {
        ...blankDraft(),
        method,
        path: url.pathname,
        query,
        headers: this.#headers,
        body: hasBody ? text : "",
        auth: this.#hasToken,
      },
      origin: url.origin,
      left: this.#left,
      isFirst: this.isFirst,
    };
  }
}
