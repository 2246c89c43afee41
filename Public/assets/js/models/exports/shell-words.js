// @ts-check
/** The escapes of `$'…'` that stand for one character. @type {Record<string, string>} */
const escapes = { n: "\n", t: "\t", r: "\r", a: "\x07", b: "\b", e: "\x1b", E: "\x1b", f: "\f", v: "\v" };

/**
 * The words of a command as a POSIX shell would read them, with `$'…'` of bash; variables stay as they are written.
 * A semicolon is a word of its own. Returns null if a quote is not closed.
 * @param {string} text
 * @returns {string[] | null}
 */
export function shellWords(text) {
  const source = text.includes('^"') ? withoutCarets(text) : text;
  /** @type {string[]} */
  const words = [];
  /** @type {string | null} */
  let word = null;
  let at = 0;
  /** The place after a quoted part, or -1 if it does not end. @param {string} quote */
  const quoted = (quote) => {
    const isC = quote === "$'";
    const end = isC ? "'" : quote;
    for (let place = at + quote.length; place < source.length; place += 1) {
      const letter = source[place] ?? "";
      if (letter === end) return place + 1;
      if (letter !== "\\" || quote === "'") word = (word ?? "") + letter;
      else if (isC) {
        const [letters, length] = escaped(source.slice(place + 1, place + 12));
        word = (word ?? "") + letters;
        place += length;
      } else {
        const next = source[place + 1] ?? "";
        place += 1;
        if (next !== "\n") word = (word ?? "") + ('"\\$`'.includes(next) ? next : `\\${next}`);
      }
    }
    return -1;
  };
  while (at < source.length) {
    const letter = source[at] ?? "";
    const quote = source.startsWith("$'", at) ? "$'" : letter === "'" || letter === '"' ? letter : null;
    if (quote) {
      word ??= "";
      at = quoted(quote);
      if (at < 0) return null;
    } else if (letter === "\\") {
      const next = source.startsWith("\\\r\n", at) ? "\r\n" : source[at + 1] ?? "";
      if (!/^\r?\n$/.test(next)) word = (word ?? "") + next;
      at += 1 + Math.max(next.length, 1);
    } else if (/\s/.test(letter)) {
      if (word !== null) words.push(word);
      word = null;
      at += 1;
    } else if (letter === ";") {
      if (word !== null) words.push(word);
      words.push(letter);
      word = null;
      at += 1;
    } else if (letter === "#" && word === null) {
      const end = source.indexOf("\n", at);
      at = end < 0 ? source.length : end;
    } else {
      word = (word ?? "") + letter;
      at += 1;
    }
  }
  if (word !== null) words.push(word);
  return words;
}

/** A command for the Windows prompt, where `^` escapes. @param {string} text */
const withoutCarets = (text) => text.replaceAll(/\^\r?\n\s*/g, " ").replaceAll(/\^([\s\S])/g, "$1");

/** What an escape of `$'…'` stands for, and its length without the backslash. @param {string} rest @returns {[string, number]} */
function escaped(rest) {
  const code = /^(?:x([\da-fA-F]{1,2})|u([\da-fA-F]{1,4})|U([\da-fA-F]{1,8}))/.exec(rest);
  if (code) {
    const point = Number.parseInt(code[1] ?? code[2] ?? code[3] ?? "0", 16);
    return [point <= 0x10FFFF ? String.fromCodePoint(point) : "\uFFFD", code[0].length];
  }
  const octal = /^[0-7]{1,3}/.exec(rest);
  if (octal) return [String.fromCharCode(Number.parseInt(octal[0], 8) & 255), octal[0].length];
  const letter = rest[0] ?? "";
  return [escapes[letter] ?? ("\\'\"?".includes(letter) ? letter : `\\${letter}`), 1];
}
