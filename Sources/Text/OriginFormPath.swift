/// Whether a path that a person wrote leads only to the configured backend (RFC 9112 §3.2.1).
package enum OriginFormPath {
  /// The longest path with its query, in bytes.
  package static let maximumBytes = 8 * 1024

  /// Whether the path can be sent unchanged: one leading `/`, visible ASCII, and neither `\`, `#`, `?`, dot segments nor any of
  /// them behind percent-encoding, however often. Encoded slashes are data of a segment, but may not hide dot segments.
  package static func isAcceptable(_ path: String) -> Bool {
    guard path.utf8.count <= maximumBytes, path.utf8.first == UInt8(ascii: "/"), !path.hasPrefix("//"),
      path.utf8.allSatisfy({ isPathByte($0) }), let decoded = decoded(path),
      // Decoded characters may not end the path, and must be text.
      decoded.allSatisfy({ $0 >= 0x20 && $0 != 0x7f && !"\\#?".utf8.contains($0) })
    else { return false }
    return segments(decoded).allSatisfy { $0 != "." && $0 != ".." }
  }

  /// Whether the query can be sent unchanged: visible ASCII without `#`, and no leading `?`.
  package static func isAcceptable(query: String) -> Bool {
    query.utf8.count <= maximumBytes && query.utf8.first != UInt8(ascii: "?")
      && query.utf8.allSatisfy { (0x21...0x7e).contains($0) && !"#\\\"<>^`{|}".utf8.contains($0) }
  }

  /// The path as lenient servers read it: decoded, in lower case, without empty segments and parameters.
  package static func normalized(_ path: String) -> String {
    "/" + segments(decoded(path) ?? Array(path.utf8)).map { $0.lowercased() }.filter { !$0.isEmpty }.joined(separator: "/")
  }

  private static func segments(_ path: [UInt8]) -> [String] {
    path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map { segment in
      String(decoding: segment.prefix(while: { $0 != UInt8(ascii: ";") }), as: UTF8.self)
    }
  }

  /// The path decoded until no escape is left; nil if the path as written has an incomplete escape.
  private static func decoded(_ path: String) -> [UInt8]? {
    guard PercentCoding.isWellFormed(path) else { return nil }
    var bytes = Array(path.utf8)
    while true {
      let next = PercentCoding.decodeLeniently(bytes)
      if next.count == bytes.count { return bytes }
      bytes = next
    }
  }

  /// RFC 3986 §3.3.
  private static func isPathByte(_ byte: UInt8) -> Bool {
    ASCII.isAlphanumeric(byte) || "/-._~%!$&'()*+,;=:@".utf8.contains(byte)
  }
}
