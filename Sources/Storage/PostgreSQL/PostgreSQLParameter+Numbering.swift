extension PostgreSQLParameter {
  /// The statement with `$1`, `$2` and so on for each `?` outside of quotes and comments (PostgreSQL's manual, section 4.1).
  static func numbered(_ sql: String) -> String {
    var scanner = Scanner(text: Array(sql.utf8))
    var result: [UInt8] = []
    var count = 0
    while let byte = scanner.next {
      let start = scanner.position
      scanner.skipPart()
      if byte == UInt8(ascii: "?") {
        count += 1
        result += Array("$\(count)".utf8)
      } else {
        result += scanner.text[start..<scanner.position]
      }
    }
    return String(decoding: result, as: UTF8.self)
  }
}

/// Reads a statement part by part: a quoted text, a comment, a word or a single character.
private struct Scanner {
  let text: [UInt8]
  private(set) var position = 0

  init(text: [UInt8]) { self.text = text }

  /// The next byte; nil at the end.
  var next: UInt8? { byte(0) }

  /// Goes behind the part that begins here; a part that does not end goes to the end of the statement.
  mutating func skipPart() {
    switch (next, byte(1)) {
    case (UInt8(ascii: "'"), _): skipQuoted(by: UInt8(ascii: "'"), escapes: false)
    case (UInt8(ascii: "\""), _): skipQuoted(by: UInt8(ascii: "\""), escapes: false)
    case (UInt8(ascii: "E"), UInt8(ascii: "'")), (UInt8(ascii: "e"), UInt8(ascii: "'")):
      position += 1
      skipQuoted(by: UInt8(ascii: "'"), escapes: true)
    case (UInt8(ascii: "-"), UInt8(ascii: "-")): skip { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
    case (UInt8(ascii: "/"), UInt8(ascii: "*")): skipComment()
    case (UInt8(ascii: "$"), _): skipDollarQuoted()
    // The whole word, so that an E at its end or a dollar within it begins no text.
    case (let first?, _) where Self.isLetter(first): skip { Self.isLetter($0) || Self.isDigit($0) || $0 == UInt8(ascii: "$") }
    default: position += 1
    }
  }

  private func byte(_ offset: Int) -> UInt8? { position + offset < text.count ? text[position + offset] : nil }

  private static func isLetter(_ byte: UInt8) -> Bool {
    byte >= 0x80 || byte == UInt8(ascii: "_") || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

  private mutating func skip(while matches: (UInt8) -> Bool) { while let next, matches(next) { position += 1 } }

  /// Goes behind the closing quote; a quote within the text is doubled.
  private mutating func skipQuoted(by quote: UInt8, escapes: Bool) {
    position += 1
    while let byte = next {
      position += 1
      if byte == quote {
        guard next == quote else { return }
        position += 1
      } else if escapes, byte == UInt8(ascii: "\\") {
        position = min(position + 1, text.count)
      }
    }
  }

  private mutating func skipComment() {
    var depth = 0
    repeat {
      switch (next, byte(1)) {
      case (UInt8(ascii: "/"), UInt8(ascii: "*")): (depth, position) = (depth + 1, position + 2)
      case (UInt8(ascii: "*"), UInt8(ascii: "/")): (depth, position) = (depth - 1, position + 2)
      default: position += 1
      }
    } while depth > 0 && position < text.count
  }

  /// `$tag$ … $tag$`; a dollar that begins no such quote is a character.
  private mutating func skipDollarQuoted() {
    var end = position + 1
    while end < text.count, Self.isLetter(text[end]) || (end > position + 1 && Self.isDigit(text[end])) { end += 1 }
    guard end < text.count, text[end] == UInt8(ascii: "$") else {
      position += 1
      return
    }
    let mark = text[position...end]
    position = end + 1
    while position < text.count, !text[position...].starts(with: mark) { position += 1 }
    position = min(position + mark.count, text.count)
  }
}
