import Yams

/// A text as Yams gets it: with another character for `*`, so that an alias is a plain scalar.
///
/// Yams expands each alias to its anchor's value and then compares keys, which can take forever for a text of a few lines. As a
/// plain scalar, an alias also keeps its place.
struct YAMLSource {
  let text: String
  /// The character that stands for `*`, in UTF-8; nil if the text has no `*`.
  private let star: [UInt8]?

  init(_ text: String) throws(YAMLError) {
    guard text.utf8.contains(Self.asterisk) else {
      self.text = text
      star = nil
      return
    }
    let used = Set(text.unicodeScalars.lazy.map(\.value).filter(Self.privateUse.contains)).union(Self.escapes(in: text))
    guard let free = Self.privateUse.first(where: { !used.contains($0) }).flatMap(Unicode.Scalar.init) else {
      throw YAMLError(.syntax("too many characters for private use"))
    }
    let star = Array(String(free).utf8)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count)
    for byte in text.utf8 {
      if byte == Self.asterisk { bytes += star } else { bytes.append(byte) }
    }
    self.text = String(decoding: bytes, as: UTF8.self)
    self.star = star
  }

  private static let asterisk = UInt8(ascii: "*")
  /// The characters that Unicode leaves to private use.
  private static let privateUse: ClosedRange<UInt32> = 0xE000...0xF8FF

  /// The characters for private use that a text in quotes may have as `\uXXXX` or `\UXXXXXXXX`.
  private static func escapes(in text: String) -> [UInt32] {
    var escapes: [UInt32] = []
    var rest = Array(text.utf8)[...]
    while let backslash = rest.firstIndex(of: UInt8(ascii: "\\")) {
      rest = rest[(backslash + 1)...]
      let count = rest.first == UInt8(ascii: "u") ? 4 : rest.first == UInt8(ascii: "U") ? 8 : 0
      let digits = String(decoding: rest.dropFirst().prefix(count), as: UTF8.self)
      if let value = UInt32(digits, radix: 16), privateUse.contains(value) { escapes.append(value) }
    }
    return escapes
  }

  /// The text of a scalar as it was written.
  func restored(_ text: String) -> String {
    guard let star, text.utf8.contains(star[0]) else { return text }
    var bytes: [UInt8] = []
    var rest = Array(text.utf8)[...]
    while let byte = rest.first {
      let isStar = rest.starts(with: star)
      bytes.append(isStar ? Self.asterisk : byte)
      rest = rest.dropFirst(isStar ? star.count : 1)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The name of the anchor, if a scalar is an alias: no plain scalar begins with `*`.
  func alias(_ scalar: Node.Scalar) -> String? {
    guard let star, scalar.style == .plain, scalar.string.utf8.starts(with: star) else { return nil }
    return restored(String(decoding: scalar.string.utf8.dropFirst(star.count), as: UTF8.self))
  }

  /// Whether Yams needs time that grows with the square of the text: with explicit keys or flow collections within each other.
  ///
  /// Both are counted without regard to quotes; texts that people write stay far below the limits.
  static func isSlow(_ bytes: ArraySlice<UInt8>) -> Bool {
    var depth = 0
    var deepest = 0
    var explicitKeys = 0
    // The last byte of the line that is not blank; a line feed at its start.
    var last: UInt8 = 0x0a
    var isQuestion = false
    for byte in bytes {
      let isBlank = [0x20, 0x09, 0x0d].contains(byte)
      if isQuestion, isBlank || byte == 0x0a { explicitKeys += 1 }
      isQuestion = byte == UInt8(ascii: "?") && [0x0a, 0x2d, 0x3f, 0x5b, 0x7b, 0x2c, 0x3a].contains(last)
      switch byte {
      case UInt8(ascii: "["), UInt8(ascii: "{"):
        depth += 1
        deepest = max(depth, deepest)
      case UInt8(ascii: "]"), UInt8(ascii: "}"): depth = max(depth - 1, 0)
      default: break
      }
      if !isBlank { last = byte }
    }
    return explicitKeys * bytes.count > 1 << 25 || deepest * bytes.count > 1 << 29
  }

  /// An error of Yams in this module's words.
  func error(_ error: any Error) -> YAMLError {
    switch error as? YamlError {
    case .reader(let problem, let offset, _, _): YAMLError(.syntax(problem), at: offset.map(place))
    case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _):
      YAMLError(problem.hasPrefix("Maximum nesting level") ? .tooDeep : .syntax(problem), at: YAMLPlace(mark))
    case .composer(_, _, let mark, _): YAMLError(.severalDocuments, at: YAMLPlace(mark))
    case .duplicatedKeysInMapping(let keys, let context):
      YAMLError(.duplicateKey(keys.first.map(restored) ?? ""), at: YAMLPlace(context.mark))
    default: YAMLError(.syntax("it cannot be read"))
    }
  }

  private func place(of offset: Int) -> YAMLPlace {
    var cursor = YAMLCursor(text)
    cursor.move { $0.offset < offset }
    return cursor.place
  }
}

/// Finds the characters of places that come in the order of the text.
struct YAMLCursor {
  private let bytes: [UInt8]
  private(set) var offset = 0
  private(set) var place = YAMLPlace(line: 1, column: 1)

  init(_ text: String) { bytes = Array(text.utf8) }

  /// Whether the value at a place has a tag, which can follow an anchor.
  mutating func isTag(at place: YAMLPlace) -> Bool {
    move { ($0.place.line, $0.place.column) < (place.line, place.column) }
    guard self.place == place else { return false }
    var rest = bytes[offset...]
    if rest.first == UInt8(ascii: "&") {
      rest = rest.drop { !Self.isBlank($0) }
      while let byte = rest.first, Self.isBlank(byte) || byte == UInt8(ascii: "#") {
        rest = Self.isBlank(byte) ? rest.dropFirst() : rest.drop { $0 != 0x0a && $0 != 0x0d }
      }
    }
    return rest.first == UInt8(ascii: "!")
  }

  private static func isBlank(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0a, 0x0d].contains(byte) }

  /// Moves ahead, one character at a time.
  mutating func move(while condition: (YAMLCursor) -> Bool) {
    while offset < bytes.count, condition(self) {
      let width = Self.width(bytes[offset])
      if let end = lineBreak() {
        offset += end
        place = YAMLPlace(line: place.line + 1, column: 1)
      } else {
        offset += width
        place = YAMLPlace(line: place.line, column: place.column + 1)
      }
    }
  }

  private static func width(_ byte: UInt8) -> Int { byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4 }

  /// The length of a line break here, as libyaml counts lines; nil for another character.
  private func lineBreak() -> Int? {
    let rest = bytes[offset...].prefix(3)
    switch rest.first {
    case 0x0a: return 1
    case 0x0d: return rest.dropFirst().first == 0x0a ? 2 : 1
    case 0xc2: return rest.dropFirst().first == 0x85 ? 2 : nil
    case 0xe2: return rest.elementsEqual([0xe2, 0x80, 0xa8]) || rest.elementsEqual([0xe2, 0x80, 0xa9]) ? 3 : nil
    default: return nil
    }
  }
}
