import Text

/// Finds the secrets in addresses within a text: `https://host/reset/…`, and `/reset/…` if the text begins with it.
enum SecretLinks {
  private static let delimiters = Set(" \t\r\n\"'\\<>(){}[]|,".utf8)

  /// The ranges of segments that follow a telling one, and of login codes in queries.
  static func spans(in bytes: [UInt8]) -> [(range: Range<Int>, kind: SecretKind)] {
    var found: [(range: Range<Int>, kind: SecretKind)] = []
    var index = 0
    if bytes.first == UInt8(ascii: "/") { index = addSpans(from: 0, in: bytes, to: &found) }
    while index + 3 < bytes.count {
      guard bytes[index] == UInt8(ascii: ":"), bytes[index + 1] == UInt8(ascii: "/"), bytes[index + 2] == UInt8(ascii: "/") else {
        index += 1
        continue
      }
      let host = index + 3
      let path = SecretShapes.end(of: host, in: bytes) { $0 != UInt8(ascii: "/") && !delimiters.contains($0) }
      index = path < bytes.count && bytes[path] == UInt8(ascii: "/") ? addSpans(from: path, in: bytes, to: &found) : path
    }
    return found
  }

  /// Adds the secrets of the path and query that begin at `start`; returns where the address ends.
  private static func addSpans(from start: Int, in bytes: [UInt8], to found: inout [(range: Range<Int>, kind: SecretKind)]) -> Int
  {
    let end = SecretShapes.end(of: start, in: bytes) { !delimiters.contains($0) }
    let path = SecretShapes.end(of: start, in: bytes) {
      !delimiters.contains($0) && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#")
    }
    var before = SecretPathSegments()
    for segment in bytes[start..<path].split(separator: UInt8(ascii: "/")) {
      // A full stop behind an address ends the sentence.
      let name = segment.prefix { $0 != UInt8(ascii: ";") }.reversed().drop { $0 == UInt8(ascii: ".") }.reversed()
      if !name.isEmpty, before.isSecret(ArraySlice(name)) {
        found.append((segment.startIndex..<(segment.startIndex + name.count), .token))
      }
      // In lower case and with letters for digits, so that adjacent letters and digits are one word, as for the precheck.
      before.pass(ArraySlice(segment.map { ASCII.isDigit($0) ? UInt8(ascii: "x") : ASCII.lowercased($0) }))
    }
    guard path < end else { return end }
    for item in bytes[(path + 1)..<end].split(whereSeparator: { "&#?".utf8.contains($0) }) where item.starts(with: "code=".utf8) {
      let value = item.dropFirst(5)
      if SecretNameWords.isSecret(value, among: .typedCodes) { found.append((value.startIndex..<value.endIndex, .code)) }
    }
    return end
  }

  /// Whether a byte is in no address.
  static func endsAddress(_ byte: UInt8) -> Bool { isDelimiter[Int(byte)] }

  private static let isDelimiter = (0...255).map { (byte: UInt8) in delimiters.contains(byte) }

  /// Whether the address that begins at an offset of a text may contain a secret; checks at most 2 KB, and returns true beyond.
  static func mayOccur(at start: Int, in text: Span<UInt8>) -> Bool {
    var address: [UInt8] = []
    for index in start..<text.count {
      guard !delimiters.contains(text[index]) else { break }
      if address.count >= 2048 { return true }
      address.append(text[index])
    }
    return !spans(in: address).isEmpty
  }
}
