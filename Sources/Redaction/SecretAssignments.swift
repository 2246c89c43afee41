import Text

/// Finds values after telling names in free text: `token=…`, `"refresh_token":"…"`, `Bearer …`, `https://user:password@…`.
struct SecretAssignments {
  /// The shapes to search for.
  let shapes: SecretShapes
  /// The rules for names.
  let keys: SecretKeyRules
  /// The origin of the text.
  let context: MaskContext

  private static let fillers = Set(" \t\"'\\".utf8)
  private static let delimiters = Set(" \t\r\n\"'\\&,;<>(){}[]#".utf8)

  /// The ranges and kinds of the values.
  func spans(in bytes: [UInt8]) -> [(range: Range<Int>, kind: SecretKind)] {
    var found: [(range: Range<Int>, kind: SecretKind)] = []
    var index = 0
    while index < bytes.count {
      guard Self.isName(bytes[index]) else {
        if shapes.contains(.userinfo), bytes[index...].starts(with: "://".utf8),
          let userinfo = userinfo(after: index + 3, in: bytes)
        {
          found.append((userinfo, .key))
        }
        index += 1
        continue
      }
      let start = index
      index = SecretShapes.end(of: start, in: bytes, while: Self.isName)
      // The kind and the digits of a tag look like an assignment.
      if start >= 3, let end = MaskTag.end(at: start - 3, in: bytes) {
        index = end
        continue
      }
      let name = bytes[start..<index]
      if name.first == UInt8(ascii: "-"), let flag = flagValue(of: start..<index, in: bytes) {
        found.append(flag)
        index = flag.range.upperBound
      } else if let range = schemeValue(String(decoding: name, as: UTF8.self), after: index, in: bytes) {
        found.append((range, .token))
        index = lastName(of: range, in: bytes)
      } else if shapes.contains(.assignment), isFollowedBySign(index, in: bytes),
        case let verdict = keys.verdict(ofName: name, context: context), let kind = verdict.kind,
        let range = assigned(after: index, in: bytes, verdict)
      {
        found.append((range, kind))
        index = lastName(of: range, in: bytes)
      }
    }
    return found
  }

  /// The secret that a flag of a command takes: `-u name:password`, `--token …`. Those with `=` are assignments.
  private func flagValue(of flag: Range<Int>, in bytes: [UInt8]) -> (range: Range<Int>, kind: SecretKind)? {
    guard Self.beginsFlag(at: flag.lowerBound, in: bytes.span) else { return nil }
    let name = bytes[flag]
    let isShort = name[flag.lowerBound + 1] != UInt8(ascii: "-")
    if isShort, flag.count > 2 {
      let value = (flag.lowerBound + 2)..<end(ofArgument: flag.upperBound, in: bytes)
      return shapes.contains(.userinfo) && isCredentials(bytes[value], ofCommandIn: bytes) ? (value, .key) : nil
    }
    var start = min(SecretShapes.end(of: flag.upperBound, in: bytes) { Self.fillers.contains($0) }, flag.upperBound + 3)
    let takesCredentials = isShort || Self.userFlags.contains(Array(name))
    if takesCredentials, start < bytes.count, bytes[start] == UInt8(ascii: "=") { start += 1 }
    guard start > flag.upperBound, start < bytes.count else { return nil }
    let value = start..<end(ofArgument: start, in: bytes)
    if takesCredentials {
      let isKnown = isShort ? isCredentials(bytes[value], ofCommandIn: bytes) : isCredentials(bytes[value])
      return shapes.contains(.userinfo) && isKnown ? (value, .key) : nil
    }
    guard shapes.contains(.assignment), case let verdict = keys.verdict(ofName: name, context: context), let kind = verdict.kind,
      bytes[start] != UInt8(ascii: "-"), bytes[start] != UInt8(ascii: "=")
    else { return nil }
    let isSecret =
      kind == .code ? SecretKeyRules.isCode(bytes[value]) : verdict.masks(bytes[value]) && SecretNameWords.isSecret(bytes[value])
    return isSecret ? (value, kind) : nil
  }

  private static let userFlags = Set(["--user", "--proxy-user"].map { Array($0.utf8) })

  /// Whether a flag begins at an offset that can take a secret: two hyphens and a letter, or `-u`, as the first characters of a word.
  static func beginsFlag(at index: Int, in text: Span<UInt8>) -> Bool {
    guard index + 2 < text.count, text[index] == UInt8(ascii: "-"),
      index == 0 || text[index - 1] <= 0x20 || "\"'`(\\".utf8.contains(text[index - 1])
    else { return false }
    return text[index + 1] == UInt8(ascii: "-") ? ASCII.isLetter(text[index + 2]) : text[index + 1] | 0x20 == UInt8(ascii: "u")
  }

  /// The end of a command's argument that begins behind an opening quotation mark, or without one.
  private func end(ofArgument start: Int, in bytes: [UInt8]) -> Int {
    let mark = bytes[start - 1]
    guard mark == UInt8(ascii: "\"") || mark == UInt8(ascii: "'") else {
      return SecretShapes.end(of: start, in: bytes) { !Self.delimiters.contains($0) }
    }
    var end = start
    while end < min(bytes.count, start + 1024), bytes[end] != mark { end += 1 }
    return end
  }

  /// Whether a value is a name, a colon and a password.
  private func isCredentials(_ value: ArraySlice<UInt8>) -> Bool {
    guard let colon = value.firstIndex(of: UInt8(ascii: ":")), colon > value.startIndex else { return false }
    // `1000:1000` are a user and a group.
    return value[colon...].count > 1 && !value.allSatisfy { ASCII.isDigit($0) || $0 == UInt8(ascii: ":") }
  }

  /// The same for `-u`, which only few commands take credentials with.
  private func isCredentials(_ value: ArraySlice<UInt8>, ofCommandIn bytes: [UInt8]) -> Bool {
    isCredentials(value) && Self.commands.contains { bytes.firstRange(of: $0) != nil }
  }

  private static let commands = ["curl", "http"].map { Array($0.utf8) }

  /// The start of the last name in a value, which may introduce a further value: `auth:token="…"`; the end if there is none.
  private func lastName(of value: Range<Int>, in bytes: [UInt8]) -> Int {
    var start = value.upperBound
    while start > value.lowerBound, bytes[start - 1] == UInt8(ascii: "=") || bytes[start - 1] == UInt8(ascii: ":") { start -= 1 }
    while start > value.lowerBound, Self.isName(bytes[start - 1]) { start -= 1 }
    return start
  }

  /// The credentials after `Bearer` or `Basic`.
  private func schemeValue(_ name: String, after index: Int, in bytes: [UInt8]) -> Range<Int>? {
    guard index < bytes.count, bytes[index] == UInt8(ascii: " ") else { return nil }
    switch name.lowercased() {
    case "bearer" where shapes.contains(.bearer), "basic" where shapes.contains(.basic): break
    default: return nil
    }
    let end = SecretShapes.end(of: index + 1, in: bytes) { !Self.delimiters.contains($0) }
    return end - index - 1 >= 8 ? (index + 1)..<end : nil
  }

  /// Whether an assignment can follow a name, which rules out most words without examining them.
  private func isFollowedBySign(_ index: Int, in bytes: [UInt8]) -> Bool {
    let cursor = min(SecretShapes.end(of: index, in: bytes) { Self.fillers.contains($0) }, index + 3)
    return cursor < bytes.count && (bytes[cursor] == UInt8(ascii: "=") || bytes[cursor] == UInt8(ascii: ":"))
  }

  /// The value after a name and `=`, or after a name and `:` if it is too long to be a word of a sentence.
  private func assigned(after index: Int, in bytes: [UInt8], _ verdict: SecretKeyRules.Verdict) -> Range<Int>? {
    var cursor = min(SecretShapes.end(of: index, in: bytes) { Self.fillers.contains($0) }, index + 3)
    guard cursor < bytes.count, bytes[cursor] == UInt8(ascii: "=") || bytes[cursor] == UInt8(ascii: ":") else { return nil }
    let isSentence = bytes[cursor] == UInt8(ascii: ":")
    cursor += 1
    let start = min(SecretShapes.end(of: cursor, in: bytes) { Self.fillers.contains($0) }, cursor + 3)
    // A code is short. Searching for the end of the text behind each name would take quadratic time.
    let limit = verdict.kind == .code && !verdict.isUsedForOtherValues ? min(bytes.count, start + 16) : bytes.count
    var end = start
    while end < limit, !Self.delimiters.contains(bytes[end]) { end += 1 }
    guard start < end else { return nil }
    if verdict.isUsedForOtherValues { return verdict.masks(bytes[start..<end]) ? start..<end : nil }
    if verdict.kind == .code { return SecretKeyRules.isCode(bytes[start..<end]) ? start..<end : nil }
    return isSentence && end - start < 8 ? nil : start..<end
  }

  /// The user name and password of a URL.
  private func userinfo(after index: Int, in bytes: [UInt8]) -> Range<Int>? {
    let end = SecretShapes.end(of: index, in: bytes) {
      $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "@") && !Self.delimiters.contains($0)
    }
    return end > index && end < bytes.count && bytes[end] == UInt8(ascii: "@") ? index..<end : nil
  }

  private static func isName(_ byte: UInt8) -> Bool {
    ASCII.isAlphanumeric(byte) || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
  }
}
