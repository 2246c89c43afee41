import Text
import Vault

/// A snapshot of the known secrets, for masking texts.
package struct SecretScan: Sendable {
  /// Finds the registered secrets.
  let matcher: SecretMatcher
  /// The kinds of the registered values.
  let kinds: [String: SecretKind]
  /// The kinds of values that are masked only as whole values and words, by the value in lower case.
  let wholes: [String: SecretKind]
  /// The registered values that a number of JSON can equal.
  let numbers: SecretNumbers
  /// The digits of the tags of registered values.
  let tagDigits: [String: String]
  let tagKey: [UInt8]
  /// The other rules.
  let rules: RedactionRules
  /// Counts registrations and removals; equal numbers mean equal secrets.
  package let generation: UInt64

  /// Masks known secrets, and values with one of the given shapes.
  package func mask(_ text: String, context: MaskContext, shapes: SecretShapes = []) -> MaskedText {
    isPlain(text.utf8.span, context: context) ? MaskedText(text: text) : thoroughlyMasked(text, context: context, shapes: shapes)
  }

  /// Whether a text certainly contains no secret; if false, it may.
  package func isPlain(_ text: Span<UInt8>, context: MaskContext) -> Bool {
    precheck.isPlain(text, context: context)
  }

  /// The check that lets most texts pass.
  var precheck: SecretPrecheck { SecretPrecheck(matcher: matcher, stopsAtSigns: rules.keys.masksNames) }

  /// Masks without the precheck.
  package func thoroughlyMasked(_ text: String, context: MaskContext, shapes: SecretShapes) -> MaskedText {
    let bytes = Array(text.utf8)
    let spans = spans(in: bytes, context: context, shapes: shapes)
    guard !spans.isEmpty else { return MaskedText(text: text) }
    var output: [UInt8] = []
    var counts: [SecretKind: Int] = [:]
    var cursor = 0
    for span in spans {
      output += bytes[cursor..<span.range.lowerBound]
      output += tag(for: span.value, kind: span.kind).utf8
      counts[span.kind, default: 0] += 1
      cursor = span.range.upperBound
    }
    output += bytes[cursor...]
    return MaskedText(text: String(decoding: output, as: UTF8.self), counts: counts)
  }

  /// The masked ranges of a text, in order and without overlaps.
  func spans(in bytes: [UInt8], context: MaskContext, shapes: SecretShapes) -> [SecretSpan] {
    let shapes = shapes.intersection(rules.shapes)
    var found: [SecretSpan] = []
    _ = DecodedView.contains(in: bytes, forms: rules.forms, keepsOffsets: true) { view in
      found += matcher.spans(in: view, context: context)
      // Shapes are not searched for in views with removed characters.
      if !shapes.isEmpty, view.gaps.isEmpty { found += shapes.spans(in: view, context: context, keys: rules.keys) }
      return false
    }
    return SecretSpan.merged(found)
  }

  /// The kind of a text that equals a value which is masked only as a whole.
  func kind(ofWhole text: @autoclosure () -> String) -> SecretKind? { wholes.isEmpty ? nil : wholes[text().lowercased()] }

  /// The tag of a whole value, with its registered kind if it has one.
  func replacement(for value: String, kind: SecretKind) -> (tag: String, kind: SecretKind) {
    let kind = kinds[value] ?? kind
    return (tag(for: value, kind: kind), kind)
  }

  /// `‹kind:` and the first four bytes of the value's HMAC in hexadecimal; email addresses ignore case.
  func tag(for value: String, kind: SecretKind) -> String {
    "‹\(kind.rawValue):\(tagDigits[value] ?? Self.digits(of: value, key: tagKey))›"
  }

  /// The eight hexadecimal digits of a tag.
  static func digits(of value: String, key: [UInt8]) -> String {
    let bytes = value.utf8.contains(UInt8(ascii: "@")) ? value.utf8.map(ASCII.lowercased) : Array(value.utf8)
    return Hex.encode(Array(HMAC.sha256(bytes, key: key).prefix(4)))
  }
}
