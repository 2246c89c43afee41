/// A text looked for in bodies; ASCII letters match in either case.
struct BodySearch {
  private let wanted: [UInt8]

  /// A search for a text; an empty one is found everywhere.
  init(_ text: String) { wanted = text.utf8.map(SecretNeedle.lowercased) }

  /// Whether the text stands in a body.
  func matches(_ body: String) -> Bool {
    guard let first = wanted.first else { return true }
    let bytes = body.utf8.span
    guard bytes.count >= wanted.count else { return false }
    let upper = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(first) ? first & ~0x20 : first
    for start in 0...(bytes.count - wanted.count) where bytes[start] == first || bytes[start] == upper {
      var length = 1
      while length < wanted.count, SecretNeedle.lowercased(bytes[start + length]) == wanted[length] { length += 1 }
      if length == wanted.count { return true }
    }
    return false
  }
}
