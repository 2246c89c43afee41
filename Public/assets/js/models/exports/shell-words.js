// @ts-check
/**
 * A word of a command, or an operator between commands: `;`, `|`, `&&`, a redirection with its file, or a line break.
 * @typedef {string | {operator: string, target?: string}} Token
 * @typedef {{tokens: Token[], input: string | null}} Command `input` is the text of a here-document or here-string
 */

/** The escapes of `$'…'` for one character. @type {Record<string, string>} */
const escapes = { n: "\n", t: "\t", r: "\r", a: "\x07", b: "\b", e: "\x1b", E: "\x1b", f: "\f", v: "\v" };

/** The closing marks of quotes that a text program has replaced. @type {Record<string, string>} */
const typographic = { "“": "”", "”": "”", "„": "“”", "‘": "’", "’": "’", "‚": "‘’" };

/**
 * Reads a command as the shell for which it was written would: POSIX with `$'…'` of bash, the Windows prompt, or PowerShell.
 * Variables and substitutions stay as they are written. Returns null if a quote is not closed.
 * @param {string} text
 * @returns {Command | null}
 */
export function shellCommand(text) {
  const source = text.replaceAll("\r\n", "\n");
  if (/`[ \t]*\n/.test(source) || /(^|\n)[ \t]*&[ \t]+\S*curl/i.test(source)) return new PowerShell(source).read();
  const isPrompt = source.includes('^"') || /\^[ \t]*\n/.test(source) || /[{[:,(]\s*""\w/.test(source);
  return isPrompt ? windowsCommand(source) : new Posix(source).read();
}

/** The common part of the three shells' readers: words grow by letters and end at blanks and operators. */
class Reader {
  at = 0;
  /** @type {Token[]} */
  tokens = [];
  /** @type {string | null} */
  word = null;
  /** @type {string | null} */
  input = null;

  /** @param {string} source */
  constructor(source) {
    this.source = source;
  }

  get letter() {
    return this.source[this.at] ?? "";
  }

  /** @param {string} text @param {number} [length] its length in the source */
  add(text, length = text.length) {
    this.word = (this.word ?? "") + text;
    this.at += length;
  }

  endWord() {
    if (this.word !== null) this.tokens.push(this.word);
    this.word = null;
  }

  /** Reads a line break, a blank or an operator; false if the next letter is none. */
  readBreak() {
    const rest = this.source.slice(this.at, this.at + 4);
    const [operator] = /^(?:\n|;|\|\|?|&&|&(?=\s|$)|(?:&>|>)>?(?:&\d)?)/.exec(rest) ?? [];
    if (operator?.includes(">")) {
      // A number that touches the mark is the stream that is redirected: `2>&1`.
      if (/^\d$/.test(this.word ?? "")) this.word = null;
      this.endWord();
      this.at += operator.length;
      return this.redirect(operator);
    }
    if (operator) {
      this.endWord();
      this.tokens.push({ operator });
      this.at += operator.length;
      return true;
    }
    if (!/\s/.test(this.letter)) return false;
    this.endWord();
    this.at += 1;
    return true;
  }

  /** Reads the file of a redirection. @param {string} operator */
  redirect(operator) {
    if (operator.includes("&") && operator !== "&>") return true;
    const [all, target] = /^[ \t]*(['"]?[^\s;|&<>]*)/.exec(this.source.slice(this.at)) ?? ["", ""];
    this.at += all.length;
    this.tokens.push({ operator, target: target?.replaceAll(/['"]/g, "") });
    return true;
  }
}

/** `sh` and bash. */
class Posix extends Reader {
  /** @returns {Command | null} */
  read() {
    while (this.at < this.source.length) if (!this.#step()) return null;
    this.endWord();
    return { tokens: this.tokens, input: this.input };
  }

  /** Reads the next part; false if a quote is not closed. */
  #step() {
    const { letter } = this;
    const closing = typographic[letter];
    if (this.source.startsWith("$'", this.at)) return this.#escapedQuote();
    if (letter === "'") return this.#quote(this.source.indexOf("'", this.at + 1));
    if (letter === '"') return this.#doubleQuote();
    if (closing && !/[\p{L}\p{N}]$/u.test(this.word ?? "")) return this.#typographicQuote(closing);
    if (letter === "\\") return this.#backslash();
    if (/^(\$\(|`)/.test(this.source.slice(this.at, this.at + 2))) return this.#substitution();
    if (letter === "<" && !/^<[\w -]+>/.test(this.source.slice(this.at, this.at + 80))) return this.#input();
    if (letter === "#" && this.word === null) return this.#comment();
    if (letter === "<") this.add(this.source.slice(this.at, this.source.indexOf(">", this.at) + 1));
    else if (!this.readBreak()) this.add(letter);
    return true;
  }

  /** @param {number} end */
  #quote(end) {
    if (end < 0) return false;
    this.add(this.source.slice(this.at + 1, end), end + 1 - this.at);
    return true;
  }

  #doubleQuote() {
    this.word ??= "";
    this.at += 1;
    while (this.letter !== '"') {
      const next = this.source[this.at + 1] ?? "";
      if (this.at >= this.source.length) return false;
      if (this.source.startsWith("$(", this.at)) this.#substitution();
      else if (this.letter !== "\\") this.add(this.letter);
      else this.add(next === "\n" ? "" : '"\\$`'.includes(next) ? next : `\\${next}`, 2);
    }
    this.at += 1;
    return true;
  }

  /** The value of `$'…'`: bytes of escapes are UTF-8. */
  #escapedQuote() {
    this.word ??= "";
    this.at += 2;
    /** @type {number[]} */
    let bytes = [];
    const flush = () => {
      if (!bytes.length) return;
      this.word += new TextDecoder().decode(new Uint8Array(bytes));
      bytes = [];
    };
    while (this.letter !== "'") {
      if (this.at >= this.source.length) return false;
      const [, hex, octal] = /^\\(?:x([\da-f]{1,2})|([0-7]{1,3}))/i.exec(this.source.slice(this.at, this.at + 4)) ?? [];
      if (hex || octal) {
        bytes.push(hex ? Number.parseInt(hex, 16) : Number.parseInt(octal ?? "", 8) & 255);
        this.at += hex ? hex.length + 2 : (octal ?? "").length + 1;
        continue;
      }
      flush();
      if (this.letter !== "\\") this.add(this.letter);
      else {
        const [letters, length] = escaped(this.source.slice(this.at + 1, this.at + 12));
        this.add(letters, length + 1);
      }
    }
    flush();
    this.at += 1;
    return true;
  }

  /** Reads a quote that a text program has made round, with the plain marks inside it. @param {string} closing */
  #typographicQuote(closing) {
    const isDouble = /[“”]/.test(closing);
    const rest = this.source.slice(this.at + 1);
    const end = rest.search(new RegExp(`[${closing}${isDouble ? '"' : "'"}]`));
    if (end < 0) return false;
    const inner = rest.slice(0, end);
    this.add(inner.replaceAll(/[“”„]/g, '"'), inner.length + 2);
    return true;
  }

  /** Joins a line that ends with a backslash, also if blanks follow it. */
  #backslash() {
    const [joined] = /^\\[ \t]*\n/.exec(this.source.slice(this.at)) ?? [];
    if (joined) this.at += joined.length;
    else this.add(this.source[this.at + 1] ?? "", 2);
    return true;
  }

  /** Keeps `$(…)` and `` `…` `` as they are written: only the shell can evaluate them. */
  #substitution() {
    let depth = 0;
    let end = this.at + 1;
    if (this.letter === "`") end = this.source.indexOf("`", end) + 1 || this.source.length;
    else {
      for (; end < this.source.length; end += 1) {
        if (this.source[end] === "(") depth += 1;
        else if (this.source[end] === ")" && (depth -= 1) === 0) break;
      }
      end += 1;
    }
    this.add(this.source.slice(this.at, end));
    return true;
  }

  #comment() {
    const end = this.source.indexOf("\n", this.at);
    this.at = end < 0 ? this.source.length : end;
    return true;
  }

  /** Reads the standard input: a here-document, a here-string or a file. */
  #input() {
    this.endWord();
    const rest = this.source.slice(this.at);
    const [opening, dash, quote, name] = /^<<(-?)[ \t]*\\?(['"]?)([\w.-]+)\2/.exec(rest) ?? [];
    if (opening && name) {
      this.at += opening.length;
      this.#hereDocument(name, dash === "-", quote !== "");
    } else if (rest.startsWith("<<<")) {
      this.at += 3;
      while (/[ \t]/.test(this.letter)) this.at += 1;
      const before = this.tokens.length;
      while (this.at < this.source.length && !/\s/.test(this.letter)) if (!this.#step()) return false;
      this.endWord();
      const [text] = this.tokens.splice(before);
      this.input = `${typeof text === "string" ? text : ""}\n`;
    } else {
      this.at += 1;
      return this.redirect("<");
    }
    return true;
  }

  /**
   * Takes the lines up to the one with the name out of the source.
   * @param {string} name @param {boolean} isIndented @param {boolean} isQuoted
   */
  #hereDocument(name, isIndented, isQuoted) {
    const start = this.source.indexOf("\n", this.at) + 1 || this.source.length;
    const lines = this.source.slice(start).split("\n").map((line) => isIndented ? line.replace(/^\t+/, "") : line);
    const end = lines.indexOf(name);
    if (end < 0) {
      // The document is missing: the rest may be a part of it.
      this.source = this.source.slice(0, start);
      return;
    }
    const text = lines.slice(0, end).map((line) => `${line}\n`).join("");
    this.input = isQuoted ? text : text.replaceAll(/\\([\\$`])/g, "$1").replaceAll("\\\n", "");
    const rest = this.source.slice(start).split("\n").slice(end + 1).join("\n");
    this.source = `${this.source.slice(0, start)}${rest}`;
  }
}

/** PowerShell: a backtick escapes, and a doubled quote is one. */
class PowerShell extends Reader {
  /** @returns {Command | null} */
  read() {
    while (this.at < this.source.length) {
      const { letter } = this;
      if (/['‘’]/.test(letter)) {
        if (!this.#quote(/['‘’]/, false)) return null;
      } else if (/["“”„]/.test(letter)) {
        if (!this.#quote(/["“”„]/, true)) return null;
      } else if (letter === "`") this.#backtick();
      else if (letter === "&" && this.word === null && /\s/.test(this.source[this.at + 1] ?? "")) this.at += 1;
      else if (!this.readBreak()) this.add(letter);
    }
    this.endWord();
    // A program gets `\"` where the script writes it, and reads it as a quote.
    return { tokens: this.tokens.map((one) => typeof one === "string" ? one.replaceAll('\\"', '"') : one), input: null };
  }

  /** @param {RegExp} mark @param {boolean} isDouble whether backticks escape */
  #quote(mark, isDouble) {
    this.add("", 1);
    while (this.at < this.source.length) {
      const isMark = mark.test(this.letter);
      if (isMark && !mark.test(this.source[this.at + 1] ?? "")) {
        this.at += 1;
        return true;
      }
      if (isMark) this.add(this.letter, 2);
      else if (isDouble && this.letter === "`") this.#backtick();
      else this.add(this.letter);
    }
    return false;
  }

  #backtick() {
    const [joined] = /^`[ \t]*\n/.exec(this.source.slice(this.at)) ?? [];
    if (joined && this.word === null) this.at += joined.length;
    else {
      const next = this.source[this.at + 1] ?? "";
      this.add({ n: "\n", t: "\t", r: "\r", 0: "\0" }[next] ?? next, 2);
    }
  }
}

/**
 * The Windows prompt: `^` escapes one letter, and the program splits its line into words: `\"` and `""` are quotes.
 * @param {string} source
 * @returns {Command | null}
 */
function windowsCommand(source) {
  // The text that the prompt passes on, and its changed letters, which end words and commands.
  let text = "";
  /** @type {boolean[]} */
  const isPlain = [];
  let isQuoted = false;
  for (let at = 0; at < source.length; at += 1) {
    let letter = source[at] ?? "";
    let isEscaped = isQuoted;
    if (letter === "^" && !isQuoted) {
      const [joined] = /^\^[ \t]*\n/.exec(source.slice(at)) ?? ["^"];
      at += joined.length;
      letter = source[at] ?? "";
      isEscaped = true;
    } else if (letter === '"') isQuoted = !isQuoted;
    text += letter;
    isPlain.push(!isEscaped);
  }
  const reader = new Reader(text);
  isQuoted = false;
  while (reader.at < text.length) {
    const [, backslashes, quote] = /^(\\*)("?)/.exec(text.slice(reader.at)) ?? ["", "", ""];
    if (quote && backslashes) {
      const isLiteral = backslashes.length % 2 === 1;
      reader.add("\\".repeat(backslashes.length >> 1) + (isLiteral ? '"' : ""), backslashes.length + (isLiteral ? 1 : 0));
    } else if (quote && isQuoted && text[reader.at + 1] === '"') reader.add('"', 2);
    else if (quote) {
      isQuoted = !isQuoted;
      reader.add("", 1);
    } else if (isQuoted || /\S/.test(reader.letter) && !isPlain[reader.at] || !reader.readBreak()) reader.add(reader.letter);
  }
  reader.endWord();
  return isQuoted ? null : { tokens: reader.tokens, input: null };
}

/** The value of an escape of `$'…'`, and its length without the backslash. @param {string} rest @returns {[string, number]} */
function escaped(rest) {
  const code = /^(?:u([\da-fA-F]{1,4})|U([\da-fA-F]{1,8}))/.exec(rest);
  if (code) {
    const point = Number.parseInt(code[1] ?? code[2] ?? "0", 16);
    return [point <= 0x10FFFF ? String.fromCodePoint(point) : "\uFFFD", code[0].length];
  }
  if (/^c./.test(rest)) return [String.fromCharCode((rest.codePointAt(1) ?? 0) & 31), 2];
  const letter = rest[0] ?? "";
  return [escapes[letter] ?? ("\\'\"?".includes(letter) ? letter : `\\${letter}`), 1];
}
