/// A range of a text to mask.
struct SecretSpan {
  /// The range in bytes.
  var range: Range<Int>
  var kind: SecretKind
  /// The decoded value, for the tag.
  var value: String
  /// Whether the value is registered, and not only found by its shape.
  var isKnown: Bool

  /// Whether it takes precedence over another span of the same range: a registered value over a form, and a secret over a name.
  private func isBefore(_ other: SecretSpan) -> Bool {
    isKnown != other.isKnown ? isKnown : !kind.isPersonal && other.kind.isPersonal
  }

  /// Sorts the spans and merges overlapping ones; the result has the kind of the registered or the longer one.
  static func merged(_ spans: [SecretSpan]) -> [SecretSpan] {
    var merged: [SecretSpan] = []
    for span in spans.sorted(by: { ($0.range.lowerBound, $1.range.upperBound) < ($1.range.lowerBound, $0.range.upperBound) }) {
      guard let last = merged.last, span.range.lowerBound < last.range.upperBound else {
        merged.append(span)
        continue
      }
      var winner = last
      if span.range.count > last.range.count || span.range.count == last.range.count && span.isBefore(last) { winner = span }
      winner.range = last.range.lowerBound..<max(last.range.upperBound, span.range.upperBound)
      merged[merged.count - 1] = winner
    }
    return merged
  }
}
