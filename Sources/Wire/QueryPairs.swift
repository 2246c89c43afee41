/// The `name=value` pairs of a query or form (URL standard, `application/x-www-form-urlencoded`), in order.
package enum QueryPairs {
  /// The decoded pairs; nil if there are more than `limit`, or if a part cannot be decoded.
  package static func parse(_ query: String, limit: Int = 100) -> [(String, String)]? {
    var pairs: [(String, String)] = []
    for part in query.utf8.split(separator: 0x26).map(Substring.init) {
      guard pairs.count < limit else { return nil }
      let sides = part.utf8.split(separator: 0x3D, maxSplits: 1, omittingEmptySubsequences: false).map(Substring.init)
      guard let name = sides.first.flatMap({ PercentCoding.decode($0, plusIsSpace: true) }),
        let value = PercentCoding.decode(sides.count == 2 ? sides[1] : "", plusIsSpace: true)
      else { return nil }
      pairs.append((name, value))
    }
    return pairs
  }
}
