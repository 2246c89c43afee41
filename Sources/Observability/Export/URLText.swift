import Text

/// URLs of rows, in which masks stand as they are shown.
enum URLText {
  /// The URL in visible ASCII: everything else, masks included, as `%XX`.
  static func escaped(_ url: String) -> String {
    PercentCoding.encode(url.utf8, keeping: isVisible)
  }

  /// The items of a query, decoded (`+` stays: it is no space outside of forms).
  static func items(ofQuery query: String) -> [(name: String, value: String)] {
    query.split(separator: "&").map { item in
      let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      return (PercentCoding.decodeLeniently(parts[0]), parts.count > 1 ? PercentCoding.decodeLeniently(parts[1]) : "")
    }
  }

  private static func isVisible(_ byte: UInt8) -> Bool {
    (0x21...0x7e).contains(byte) && !"\"<>\\^`{|}".utf8.contains(byte)
  }
}
