/// The `name=value` pairs of a query or a form, in order and not grouped by name.
package enum QueryPairs {
  /// Reads at most `limit` pairs as `application/x-www-form-urlencoded` (URL Standard §5.1).
  ///
  /// Returns nil if there are more, or if a name or value cannot be decoded.
  package static func parse(_ query: String, limit: Int = 100) -> [(String, String)]? {
    var pairs: [(String, String)] = []
    for part in query.utf8.split(separator: UInt8(ascii: "&")).map(Substring.init) {
      guard pairs.count < limit else { return nil }
      let sides = part.utf8.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false).map(
        Substring.init)
      guard let name = sides.first.flatMap({ PercentCoding.decode($0, plusIsSpace: true) }),
        let value = PercentCoding.decode(sides.count == 2 ? sides[1] : "", plusIsSpace: true)
      else { return nil }
      pairs.append((name, value))
    }
    return pairs
  }

  /// Writes the pairs as a query (RFC 3986 §3.4), with `%20` for a space; returns nil if there are none.
  package static func format(_ pairs: [(name: String, value: String)]) -> String? {
    guard !pairs.isEmpty else { return nil }
    return pairs.map { "\(PercentCoding.encode($0.name))=\(PercentCoding.encode($0.value))" }.joined(separator: "&")
  }
}
