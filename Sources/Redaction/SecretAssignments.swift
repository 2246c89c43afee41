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
      if let range = schemeValue(String(decoding: name, as: UTF8.self), after: index, in: bytes) {
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
