/// The `Cookie` header field (RFC 6265 §4.2).
package enum CookieHeader {
  /// The minimum number of bytes of a value that distinguishes sessions.
  package static let tellingLength = 8

  /// The values of the cookies of one name in order, as sent, without the white space around them.
  package static func values(named name: String, in header: String) -> [String] {
    header.utf8.split(separator: UInt8(ascii: ";")).compactMap { pair in
      guard let equals = pair.firstIndex(of: UInt8(ascii: "=")), Substring(pair[..<equals]).trimmingBlanks == name else {
        return nil
      }
      return String(Substring(pair[pair.index(after: equals)...]).trimmingBlanks)
    }
  }
}
