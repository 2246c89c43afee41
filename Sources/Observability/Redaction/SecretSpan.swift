/// A part of a text that has to go.
struct SecretSpan {
  /// The bytes of the text.
  var range: Range<Int>
  /// What stands there.
  var kind: SecretKind
  /// The value that its tag is made of, decoded.
  var value: String
  /// Whether the value is registered, rather than of a telling shape.
  var isKnown: Bool

  /// The spans in order without overlaps: where two meet, all of both goes, under the name of the longer, or of the registered one.
  static func merged(_ spans: [SecretSpan]) -> [SecretSpan] {
    var merged: [SecretSpan] = []
    for span in spans.sorted(by: { ($0.range.lowerBound, $1.range.upperBound) < ($1.range.lowerBound, $0.range.upperBound) }) {
      guard let last = merged.last, span.range.lowerBound < last.range.upperBound else {
        merged.append(span)
        continue
      }
      var winner = last
      if span.range.count > last.range.count || span.range.count == last.range.count && span.isKnown && !last.isKnown {
        winner = span
      }
      winner.range = last.range.lowerBound..<max(last.range.upperBound, span.range.upperBound)
      merged[merged.count - 1] = winner
    }
    return merged
  }
}
