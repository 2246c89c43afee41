import Text
import Vault

/// What was known at one moment, to mask texts with.
struct SecretScan: Sendable {
  /// Finds the registered secrets.
  let matcher: SecretMatcher
  /// The registered values with their kinds.
  let kinds: [String: SecretKind]
  /// The digits of the tags of registered values.
  let tagDigits: [String: String]
  /// The key of the tags.
  let tagKey: [UInt8]
  /// What else is masked.
  let rules: RedactionRules
  /// Counts what was learned and forgotten: equal numbers mean equal knowledge.
  let generation: UInt64

  /// The text without known secrets and, where `shapes` says so, without what looks like one.
  func mask(_ text: String, context: MaskContext, shapes: SecretShapes = []) -> MaskedText {
    isPlain(text.utf8.span, context: context) ? MaskedText(text: text) : thoroughlyMasked(text, context: context, shapes: shapes)
  }

  /// Whether a text surely holds nothing to mask; false says nothing.
  func isPlain(_ text: Span<UInt8>, context: MaskContext) -> Bool {
    SecretPrecheck(matcher: matcher).isPlain(text, context: context)
  }

  /// What `mask` does with texts that do not pass the first look.
  func thoroughlyMasked(_ text: String, context: MaskContext, shapes: SecretShapes) -> MaskedText {
    let bytes = Array(text.utf8)
    let shapes = shapes.intersection(rules.shapes)
    var found: [SecretSpan] = []
    _ = DecodedView.contains(in: bytes, forms: rules.forms, keepsOffsets: true) { view in
      found += matcher.spans(in: view, context: context)
      // Words that were joined have looks of their own.
      if !shapes.isEmpty, view.gaps.isEmpty { found += shapes.spans(in: view, context: context, keys: rules.keys) }
      return false
    }
    let spans = SecretSpan.merged(found)
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

  /// The tag of a whole value, under its registered kind where it has one.
  func replacement(for value: String, kind: SecretKind) -> (tag: String, kind: SecretKind) {
    let kind = kinds[value] ?? kind
    return (tag(for: value, kind: kind), kind)
  }

  /// `‹kind:` and the first four bytes of the value's HMAC; an address's case does not matter.
  func tag(for value: String, kind: SecretKind) -> String {
    "‹\(kind.rawValue):\(tagDigits[value] ?? Self.digits(of: value, key: tagKey))›"
  }

  /// The eight hexadecimal digits of a tag.
  static func digits(of value: String, key: [UInt8]) -> String {
    let bytes = value.utf8.contains(UInt8(ascii: "@")) ? value.utf8.map(SecretNeedle.lowercased) : Array(value.utf8)
    return Hex.encode(Array(HMAC.sha256(bytes, key: key).prefix(4)))
  }
}
