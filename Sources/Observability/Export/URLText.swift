/// URLs of rows, in which masks stand as they are shown.
package enum URLText {
  /// The URL in visible ASCII: everything else, masks included, as `%XX`.
  static func escaped(_ url: String) -> String {
    if url.utf8.allSatisfy(isVisible) { return url }
    var bytes: [UInt8] = []
    for byte in url.utf8 {
      if isVisible(byte) { bytes.append(byte) } else { bytes += percent(byte) }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The items of a query, decoded (`+` stays: it is no space outside of forms).
  static func items(ofQuery query: String) -> [(name: String, value: String)] {
    query.split(separator: "&").map { item in
      let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      return (decoded(parts[0]), parts.count > 1 ? decoded(parts[1]) : "")
    }
  }

  /// Everything but letters, digits and `-._~` as `%XX` (RFC 3986 §2.3).
  package static func encodedComponent(_ text: String) -> String {
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      if SecretShapes.isAlphanumeric(byte) || "-._~".utf8.contains(byte) { bytes.append(byte) } else { bytes += percent(byte) }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func decoded(_ text: String) -> String {
    DecodedView(Array(text.utf8), keepsOffsets: false).percentDecoded().map { String(decoding: $0.bytes, as: UTF8.self) } ?? text
  }

  private static func isVisible(_ byte: UInt8) -> Bool {
    (0x21...0x7e).contains(byte) && !"\"<>\\^`{|}".utf8.contains(byte)
  }

  private static func percent(_ byte: UInt8) -> [UInt8] {
    let digits = Array("0123456789ABCDEF".utf8)
    return [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
  }
}
