/// The `Cookie` header field (RFC 6265 §4.2).
package enum CookieHeader {
  /// The values of the cookies of one name in order, as sent, without the white space around them.
  package static func values(named name: String, in header: String) -> [String] {
    header.utf8.split(separator: UInt8(ascii: ";")).compactMap { pair in
      guard let equals = pair.firstIndex(of: UInt8(ascii: "=")), trimmed(pair[..<equals]).elementsEqual(name.utf8) else {
        return nil
      }
      return String(decoding: trimmed(pair[pair.index(after: equals)...]), as: UTF8.self)
    }
  }

  private static func trimmed(_ text: Substring.UTF8View) -> Substring.UTF8View {
    var text = text.drop(while: isBlank)
    while let last = text.last, isBlank(last) { text.removeLast() }
    return text
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
}
