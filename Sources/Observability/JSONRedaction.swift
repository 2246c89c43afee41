import JSON

/// Takes the secrets out of a JSON document by rewriting their spans, so that numbers, order and spacing stay as they were written.
struct JSONRedaction {
  /// How many documents within strings of documents are read as such.
  private static let maximumNesting = 3

  private let bytes: [UInt8]
  private let scan: SecretScan
  private let context: MaskContext
  private let nesting: Int
  private var output: [UInt8] = []
  private var cursor = 0
  private var counts: [SecretKind: Int] = [:]

  /// The redacted document; nil when it is no strict JSON. `nesting` counts documents in strings of documents.
  static func redact(_ bytes: [UInt8], scan: SecretScan, context: MaskContext, nesting: Int = 0) -> Masked? {
    guard let document = try? JSONDocument(parsing: bytes) else { return nil }
    var redaction = JSONRedaction(bytes: bytes, scan: scan, context: context, nesting: nesting)
    redaction.visit(document.root, as: nil)
    redaction.output += bytes[redaction.cursor...]
    return Masked(text: String(decoding: redaction.output, as: UTF8.self), counts: redaction.counts)
  }

  private init(bytes: [UInt8], scan: SecretScan, context: MaskContext, nesting: Int) {
    self.bytes = bytes
    self.scan = scan
    self.context = context
    self.nesting = nesting
  }

  /// Redacts a value; `kind` is what the name above it announces. The scanner bounds the depth.
  private mutating func visit(_ node: JSONNode, as kind: SecretKind?) {
    switch node.kind {
    case .object:
      for (key, value) in node.memberNodes {
        let name = key.string ?? ""
        replace(key, by: scan.mask(name, context: context, shapes: .all))
        visit(value, as: self.kind(of: value, named: name, within: kind))
      }
    case .array: for element in node.elements { visit(element, as: kind) }
    case .string: visitString(node, as: kind)
    case .number:
      if let kind {
        replace(node, as: kind)
      } else {
        replace(node, by: scan.mask(node.sourceText, context: context))
      }
    case .bool, .null: break
    }
  }

  /// What a member has to be masked as: by its name, or by that of the object around it unless its own name is harmless.
  private func kind(of value: JSONNode, named name: String, within outer: SecretKind?) -> SecretKind? {
    let kind = SecretKeyRules.kind(ofName: name, context: context)
    // `code` is an error's as well: only digits are a login code.
    if kind == .code, name.lowercased() == "code", !SecretKeyRules.isCode(Array((value.string ?? value.sourceText).utf8)) {
      return outer
    }
    return kind ?? (SecretKeyRules.isHarmless(name) ? nil : outer)
  }

  private mutating func visitString(_ node: JSONNode, as kind: SecretKind?) {
    guard let text = node.string, !text.isEmpty else { return }
    if let kind {
      replace(node, as: kind)
    } else if text.utf8.first == UInt8(ascii: "{") || text.utf8.first == UInt8(ascii: "["), nesting < Self.maximumNesting,
      let inner = Self.redact(Array(text.utf8), scan: scan, context: context, nesting: nesting + 1)
    {
      replace(node, by: inner)
    } else {
      replace(node, by: scan.mask(text, context: context, shapes: .all))
    }
  }

  /// Puts a tag in the place of a whole value.
  private mutating func replace(_ node: JSONNode, as kind: SecretKind) {
    let replacement = scan.replacement(for: node.string ?? node.sourceText, kind: kind)
    replace(node, by: Masked(text: replacement.tag, counts: [replacement.kind: 1]))
  }

  /// Puts a masked text in the place of a value, unless nothing was masked.
  private mutating func replace(_ node: JSONNode, by masked: Masked) {
    guard !masked.counts.isEmpty else { return }
    output += bytes[cursor..<node.span.lowerBound]
    output += JSONStringText.quoted(masked.text)
    cursor = node.span.upperBound
    counts.merge(masked.counts, uniquingKeysWith: +)
  }
}
