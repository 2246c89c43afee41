// @ts-check
import { blankDraft, isReserved, methods } from "./composer.js";
import { longOption, shortOption } from "./curl-options.js";
import { formPart, multipart } from "./multipart.js";
import { shellCommand } from "./shell-words.js";

/**
 * The first request read from a curl command: the draft, the origin that the command names, what the draft leaves out, without
 * values that may be secret, the options whose file or input is not in the text, and whether other requests follow.
 * @typedef {{draft: import("./composer.js").Draft, origin: string, left: string[], missing: string[], isFirst: boolean}} Imported
 */

const data = new Set(["data", "data-raw", "data-binary", "data-ascii", "data-urlencode", "json"]);

/** @param {string} word */
const isCurl = (word) => /(^|[/\\])curl(\.exe)?$/i.test(word);

/** The hyphens that a text program makes of those of an option. @param {string} word */
const withPlainHyphens = (word) =>
  word.replace(/^[–—‒−‐‑](?=[a-z]$)/i, "-")
    .replace(/^(?:[–—‒−]-?|[‐‑]{2})(?=[a-z])/i, "--");

/**
 * The request of a curl command; null if the text is none, names no address, or has an open quote.
 * @param {string} text
 * @returns {Imported | null}
 */
export function fromCurl(text) {
  // A command from a document may be between fences.
  const read = shellCommand(text.trim().replace(/^`{3}[^\n]*\n/, "").replace(/\n`{3}\s*$/, ""));
  const start = read?.tokens.findIndex((one) => typeof one === "string" && isCurl(one)) ?? -1;
  if (!read || start < 0) return null;
  const command = new Command(read.input);
  /** @param {number} at */
  const word = (at) => {
    const token = read.tokens[at];
    return typeof token === "string" ? token : null;
  };
  for (let at = start + 1; at < read.tokens.length; at += 1) {
    const token = read.tokens[at];
    if (typeof token === "object") {
      const next = withPlainHyphens(word(at + 1) ?? "");
      if (token.operator === "\n" && (next.startsWith("-") || /^https?:/.test(next) && !command.hasAddress)) continue;
      if (token.target !== undefined) {
        command.redirect(token.operator, token.target);
        continue;
      }
      const others = read.tokens.slice(at + 1).some((one) => typeof one === "string" && isCurl(one));
      if (others) command.isFirst = true;
      else if (next && token.operator !== "\n") command.leaveBehind(token.operator, next);
      break;
    }
    const written = withPlainHyphens(token ?? "");
    if (/^--./.test(written)) {
      const [, name = "", value] = /^--([^=]*)(?:=([^]*))?$/.exec(written) ?? [];
      const option = longOption(name);
      if (option?.name === "next") {
        command.isFirst = true;
        break;
      }
      if (!option) command.unknown(`--${name}`, value === undefined ? word(at + 1) : null);
      else if (!option.hasValue) command.flag(option.name, `--${name}`);
      else command.take(option.name, value ?? word(at += 1) ?? "", `--${name}`);
    } else if (/^-./.test(written)) {
      if (written === "-:") {
        command.isFirst = true;
        break;
      }
      for (let place = 1; place < written.length; place += 1) {
        const letter = written[place] ?? "";
        const { name, hasValue } = shortOption(letter);
        if (hasValue) {
          const rest = written.slice(place + 1);
          command.take(name, rest || (word(at += 1) ?? ""), `-${letter}`);
          break;
        }
        command.flag(name, `-${letter}`);
      }
    } else if (written !== "-") command.address(written);
  }
  return command.result();
}

/** The encoding of curl's `--data-urlencode`. @param {string} text */
const urlEncoded = (text) =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);

/**
 * The first address that braces and brackets expand to, and whether there are others.
 * @param {string} text
 * @returns {[string, boolean]}
 */
function firstOfGlob(text) {
  let isSeveral = false;
  const start = /^[a-z]*:?\/?\/?[^/?#]*/i.exec(text)?.[0].length ?? 0;
  const first = text.slice(start)
    .replaceAll(/\{([^{}]*)\}/g, (_, inner) => {
      isSeveral ||= inner.includes(",");
      return inner.split(",")[0] ?? "";
    })
    .replaceAll(/\[(\w+)-(\w+)(?::\d+)?\]/g, (_, from, to) => {
      isSeveral ||= from !== to;
      return from;
    });
  return [text.slice(0, start) + first, isSeveral];
}

/** The command so far. */
class Command {
  #input;
  /** @type {string | null} */
  #method = null;
  /** @type {{text: string, isSure: boolean}[]} */
  #addresses = [];
  /** @type {string[]} */
  #data = [];
  /** @type {string[]} */
  #query = [];
  /** @type {import("./multipart.js").Part[]} */
  #parts = [];
  /** @type {string | null} */
  #upload = null;
  /** @type {[string, string][]} */
  #headers = [];
  #isJSON = false;
  #isQuery = false;
  #isHead = false;
  #isGlob = true;
  #hasToken = false;
  /** @type {string[]} */
  #left = [];
  /** @type {string[]} */
  #missing = [];
  /** Whether other requests follow. */
  isFirst = false;

  /** @param {string | null} input the command's standard input, if the text contains it */
  constructor(input) {
    this.#input = input;
  }

  get hasAddress() {
    return this.#addresses.some((one) => one.isSure);
  }

  /** @param {string} name @param {string} word as it is written */
  flag(name, word) {
    if (name === "get") this.#isQuery = true;
    else if (name === "head") this.#isHead = true;
    else if (name === "globoff") this.#isGlob = false;
    if (name !== "get" && name !== "head") this.#leave(word);
  }

  /**
   * An option that curl does not have: the next word may be its value, or the address.
   * @param {string} word @param {string | null} next
   */
  unknown(word, next) {
    this.#leave(word);
    if (next !== null && !next.startsWith("-") && !/^https?:/i.test(next)) this.#unsure = next;
  }

  /** @type {string | null} */
  #unsure = null;

  /** @param {string} name @param {string} value @param {string} word as it is written */
  take(name, value, word) {
    if (name === "request") this.#method = value.toUpperCase();
    else if (name === "url") this.address(value);
    else if (name === "url-query") {
      this.#encode(value.startsWith("+") ? "data" : "data-urlencode", value.replace(/^\+/, ""), word, this.#query);
    }
    else if (name === "header") this.#header(value, word);
    else if (name === "user-agent") this.#written("User-Agent", value);
    else if (name === "referer") this.#written("Referer", value.replace(/;auto$/, ""));
    else if (name === "range") this.#headers.push(["Range", `bytes=${value}`]);
    else if (name === "form" || name === "form-string") this.#form(value, word, name === "form-string");
    else if (name === "upload-file") this.#uploaded(value, word);
    else if (data.has(name)) {
      if (name === "json") this.#isJSON = true;
      this.#encode(name, value, word, this.#data);
    } else {
      if (name === "oauth2-bearer") this.#hasToken = true;
      this.#leave(word);
    }
  }

  /** Names another command by its first word. @param {string} mark the text before it @param {string} first */
  leaveBehind(mark, first) {
    this.#leave(`${mark} ${first.replace(/=[^]*/, "=…")}`);
  }

  /** @param {string} operator @param {string} target */
  redirect(operator, target) {
    if (operator !== "<") this.#leave(`${operator} ${target}`);
  }

  /** @param {string} text */
  address(text) {
    const isSure = text !== this.#unsure;
    this.#unsure = null;
    this.#addresses.push({ text, isSure });
  }

  /** @param {string} name @param {string} value which is none if it is empty */
  #written(name, value) {
    if (value) this.#headers.push([name, value]);
  }

  /** @param {string} line @param {string} word */
  #header(line, word) {
    if (line.startsWith("@")) return this.#miss(word);
    const [, name, mark, value] = /^\s*([^:;]*?)\s*([:;])\s*([\s\S]*?)\s*$/.exec(line) ?? [];
    if (!name || (mark === ":" && !value) || (mark === ";" && value)) return this.#leave(`-H ${name || "…"}`);
    if (name.toLowerCase() === "authorization") this.#hasToken = true;
    if (isReserved(name)) return this.#leave(name);
    this.#headers.push([name, value ?? ""]);
  }

  /** @param {string} value @param {string} word @param {boolean} isLiteral */
  #form(value, word, isLiteral) {
    const part = formPart(value, isLiteral);
    if (!part) return this.#leave(word);
    if (part.isFile) this.#miss(word);
    this.#parts.push(part);
  }

  /** @param {string} file @param {string} word */
  #uploaded(file, word) {
    const isInput = file === "-" || file === ".";
    this.#upload = isInput ? "" : file.replace(/^.*[/\\]/, "");
    if (isInput && this.#input !== null) this.#data.push(this.#input);
    else this.#miss(word);
  }

  /**
   * Adds data as an option writes it; a file or standard input that the text does not have is named as missing.
   * @param {string} name @param {string} value @param {string} word @param {string[]} list
   */
  #encode(name, value, word, list) {
    const [, key = "", mark = "", content = ""] = /^([^=@]*)([=@])([^]*)$/.exec(value) ?? ["", "", "", value];
    const isEncoded = name === "data-urlencode";
    const file = name === "data-raw" ? null : isEncoded ? (mark === "@" ? content : null) : value.startsWith("@") ? value.slice(1) : null;
    let text = isEncoded ? content : value;
    if (file !== null) {
      if (file !== "-" || this.#input === null) {
        this.#miss(word);
        text = "";
      } else text = name === "data" || name === "data-ascii" ? this.#input.replaceAll("\n", "") : this.#input;
    } else if (/^(\$\(|`)/.test(text)) {
      this.#miss(word);
      text = "";
    }
    const prefix = isEncoded && key ? `${key}=` : "";
    list.push(isEncoded ? prefix + urlEncoded(text).replaceAll("%20", "+") : text);
  }

  /** @param {string} text */
  #leave(text) {
    if (!this.#left.includes(text)) this.#left.push(text);
  }

  /** @param {string} option */
  #miss(option) {
    if (!this.#missing.includes(option)) this.#missing.push(option);
  }

  /** The requested address: the first with a scheme, else the first; the others are left out. */
  #chosen() {
    const isWhole = (/** @type {string} */ text) => /^https?:\/\//i.test(text);
    const all = this.#addresses;
    const chosen = all.find(({ text }) => isWhole(text)) ?? all.find(({ isSure }) => isSure) ?? all[0];
    if (!chosen) return null;
    for (const other of all) {
      if (other === chosen) continue;
      const isAddress = isWhole(other.text) || !isWhole(chosen.text) && other.isSure && URL.canParse(`http://${other.text}`);
      if (isAddress) this.isFirst = true;
      if (other.isSure) this.#leave(other.text.replace(/\/\/[^/@]*@/, "//…@").replace(/[?#][^]*/, ""));
    }
    return chosen.text;
  }

  /** @returns {Imported | null} */
  result() {
    const chosen = this.#chosen();
    const [text, isSeveral] = chosen === null || !this.#isGlob ? [chosen, false] : firstOfGlob(chosen);
    const address = text === null ? null : addressOf(text);
    if (!address) return null;
    if (isSeveral) this.isFirst = true;
    if (address.hasUser) this.#leave(`${address.origin.replace(/\/\/.*/, "//")}…@`);
    if (address.fragment) this.#leave(address.fragment);
    if (this.#upload && address.path.endsWith("/")) address.path += encodeURIComponent(this.#upload);
    const form = this.#parts.length > 0 ? multipart(this.#parts) : null;
    const sent = form?.body ?? this.#data.join(this.#isJSON ? "" : "&");
    const isUpload = this.#upload !== null;
    const hasBody = form !== null || isUpload || this.#data.length > 0 && !this.#isQuery;
    let method = this.#method ?? (this.#isHead ? "HEAD" : isUpload ? "PUT" : hasBody ? "POST" : "GET");
    if (!methods.includes(method)) {
      this.#leave(`-X ${method}`);
      method = hasBody ? "POST" : "GET";
    }
    const query = [address.query, ...(this.#isQuery ? [this.#data.join("&")] : []), this.#query.join("&")].filter(Boolean).join("&");
    const type = form?.type ?? "application/x-www-form-urlencoded";
    const hasType = this.#headers.some(([name]) => name.toLowerCase() === "content-type");
    if (hasBody && !hasType && !this.#isJSON && !isUpload) this.#headers.push(["Content-Type", type]);
    return {
      draft: {
        ...blankDraft(),
        method,
        path: address.path,
        query,
        headers: this.#headers,
        body: hasBody ? sent : "",
        auth: this.#hasToken,
      },
      origin: address.origin,
      left: this.#left,
      missing: this.#missing,
      isFirst: this.isFirst,
    };
  }
}

/**
 * The parts of an address as curl sends them: without a scheme it is HTTP, and a variable may stand for the origin.
 * @param {string} text
 */
function addressOf(text) {
  const [, variable, rest] = /^(\$\w+|\$\{\w+\}|\{\{\s*[\w.]+\s*\}\})(\/[^]*)?$/.exec(text) ?? [];
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(text)?.[1]?.toLowerCase();
  if (scheme && scheme !== "http" && scheme !== "https") return null;
  const written = variable ? `http://origin.invalid${rest ?? "/"}` : scheme ? text : `http://${text}`;
  if (!URL.canParse(written)) return null;
  const url = new URL(written);
  // A query is sent as it is written, except for characters that a request line cannot contain.
  const raw = /^[^?#]*\?([^#]*)/.exec(written)?.[1] ?? "";
  return {
    origin: variable ?? url.origin,
    path: url.pathname,
    query: raw.replaceAll(/[^\w\-.~%!$&'()*+,;=:@/?[\]]+/gu, (one) => encodeURIComponent(one)),
    fragment: url.hash,
    hasUser: Boolean(url.username || url.password),
  };
}
