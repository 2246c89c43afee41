import JSON
import Text

/// Redacts a JSON document by replacing spans of its text, so that numbers, order and whitespace are preserved.
///
/// A precheck of the bytes lets nearly every value pass, and each name is examined once for a document.
struct JSONRedaction {
  /// How deeply documents in strings of documents are redacted as JSON.
  private static let maximumNesting = 3

  /// The cached result for a name.
  private struct Name {
    var range = 0..<0
    var verdict = SecretKeyRules.Verdict()
    /// Whether the name itself contains no secret.
    var isPlain = true
    /// Whether its value may be read even if values are hidden.
    var isReadable = false
    /// Whether the name may be read; if values are hidden, only one that a programmer chose.
    var isShown = true
  }

  private let document: JSONDocument
  private let bytes: [UInt8]
  private let tokens: [JSONToken]
  private let scan: SecretScan
  private let precheck: SecretPrecheck
  private let context: MaskContext
  /// Whether values are masked unless their names are known to be harmless.
  private let hidesValues: Bool
  private let nesting: Int
  /// Names by hash; a name replaces an earlier one with the same hash.
  private var names: [Name]
  private var output: [UInt8] = []
  private var cursor = 0
  private var counts: [SecretKind: Int] = [:]

  /// The redacted document; nil if it is not strict JSON. `nesting` counts documents within strings.
  static func redact(
    _ bytes: [UInt8], scan: SecretScan, context: MaskContext, hidesValues: Bool = false, nesting: Int = 0
  ) -> MaskedText? {
    guard let document = try? JSONDocument(parsing: bytes) else { return nil }
    return redact(document, scan: scan, context: context, hidesValues: hidesValues, nesting: nesting)
  }

  /// The redacted document.
  static func redact(
    _ document: JSONDocument, scan: SecretScan, context: MaskContext, hidesValues: Bool = false, nesting: Int = 0
  ) -> MaskedText {
    let bytes = document.bytes
    var redaction = JSONRedaction(document, scan: scan, context: context, hidesValues: hidesValues, nesting: nesting)
    redaction.visit(0, as: hidesValues ? .value : nil)
    if redaction.counts.isEmpty { return MaskedText(text: String(decoding: bytes, as: UTF8.self)) }
    redaction.output += bytes[redaction.cursor...]
    return MaskedText(text: String(decoding: redaction.output, as: UTF8.self), counts: redaction.counts)
  }

  private init(_ document: JSONDocument, scan: SecretScan, context: MaskContext, hidesValues: Bool, nesting: Int) {
    self.document = document
    bytes = document.bytes
    tokens = document.tokens
    self.scan = scan
    precheck = SecretPrecheck(matcher: scan.matcher)
    self.context = context
    self.hidesValues = hidesValues
    self.nesting = nesting
    names = [Name](repeating: Name(), count: document.bytes.count > 4096 ? 256 : 32)
  }

  /// Redacts a value; `kind` is what the name of an outer member indicates. The scanner limits the depth.
  private mutating func visit(_ index: Int, as kind: SecretKind?) {
    let token = tokens[index]
    switch token.kind {
    case .object:
      var member = index + 1
      for _ in 0..<token.count {
        let name = name(of: tokens[member])
        if !name.isShown {
          replace(tokens[member], as: .value)
        } else if !name.isPlain {
          replace(tokens[member], by: scan.mask(document.text(of: tokens[member]), context: context, shapes: .all))
        }
        visit(member + 1, as: self.kind(of: tokens[member + 1], named: name, within: kind))
        member = tokens[member + 1].next
      }
    case .array:
      var element = index + 1
      for _ in 0..<token.count {
        visit(element, as: kind)
        element = tokens[element].next
      }
    case .string: visitString(token, as: kind)
    case .number:
      if let kind {
        replace(token, as: kind)
      } else if !precheck.isPlain(number: bytes.span.extracting(token.start..<token.end), context: context) {
        replace(token, by: scan.thoroughlyMasked(document.text(of: token), context: context, shapes: []))
      }
    case .bool, .null: break
    }
  }

  private mutating func name(of token: JSONToken) -> Name {
    let range = (token.start + 1)..<(token.end - 1)
    var hash = range.count
    for place in range { hash = (hash &* 31) ^ Int(bytes[place]) }
    let slot = hash & (names.count - 1)
    let held = names[slot].range
    if !held.isEmpty, held.count == range.count, areEqual(held, range) { return names[slot] }
    // Names rarely contain escapes; without one, read the name in place.
    let text = token.isEscaped ? Array(document.text(of: token).utf8)[...] : bytes[range]
    let name = Name(
      range: range, verdict: scan.rules.keys.verdict(ofName: text, context: context),
      isPlain: precheck.isPlain(text.span, context: context), isReadable: hidesValues && SecretKeyRules.isReadable(name: text),
      isShown: !hidesValues || PlainName.shown(String(decoding: text, as: UTF8.self)) != "*")
    names[slot] = name
    return name
  }

  private func areEqual(_ left: Range<Int>, _ right: Range<Int>) -> Bool {
    for offset in 0..<left.count where bytes[left.lowerBound + offset] != bytes[right.lowerBound + offset] { return false }
    return true
  }

  /// The kind to mask a member as. If values are hidden, a harmless name shows its own value, but nothing inside of it.
  private func kind(of value: JSONToken, named name: Name, within outer: SecretKind?) -> SecretKind? {
    let kind = namedKind(of: value, named: name, within: outer)
    guard hidesValues, kind == nil || kind == .value else { return kind }
    return name.isReadable && value.kind != .object && value.kind != .array ? nil : .value
  }

  /// The kind that names indicate: the member's own, or that of the enclosing object unless its own name is harmless.
  private func namedKind(of value: JSONToken, named name: Name, within outer: SecretKind?) -> SecretKind? {
    // `code` also names error codes; only digits are a login code.
    if name.verdict.kind == .code, name.verdict.isCode {
      let quote = value.kind == .string ? 1 : 0
      if !SecretKeyRules.isCode(bytes[(value.start + quote)..<(value.end - quote)]) { return outer }
    }
    return name.verdict.kind ?? (name.verdict.isHarmless ? nil : outer)
  }

  private mutating func visitString(_ token: JSONToken, as kind: SecretKind?) {
    guard token.end - token.start > 2 else { return }
    if let kind {
      replace(token, as: kind)
      return
    }
    let first = bytes[token.start + 1]
    let mayBeDocument = first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    if !token.isEscaped, !mayBeDocument,
      precheck.isPlain(bytes.span.extracting((token.start + 1)..<(token.end - 1)), context: context)
    {
      return
    }
    let text = document.text(of: token)
    if mayBeDocument, nesting < Self.maximumNesting,
      let inner = Self.redact(
        Array(text.utf8), scan: scan, context: context, hidesValues: hidesValues, nesting: nesting + 1)
    {
      replace(token, by: inner)
    } else {
      replace(token, by: scan.mask(text, context: context, shapes: .all))
    }
  }

  /// Replaces a whole value with a tag.
  private mutating func replace(_ token: JSONToken, as kind: SecretKind) {
    let replacement = scan.replacement(for: document.text(of: token), kind: kind)
    replace(token, by: MaskedText(text: replacement.tag, counts: [replacement.kind: 1]))
  }

  /// Replaces a value with a masked text if anything was masked.
  private mutating func replace(_ token: JSONToken, by masked: MaskedText) {
    guard !masked.counts.isEmpty else { return }
    output += bytes[cursor..<token.start]
    output += JSONStringText.quoted(masked.text)
    cursor = token.end
    counts.merge(masked.counts, uniquingKeysWith: +)
  }
}
