import Text

/// Takes the secrets out of queries, forms and references.
struct QueryRedaction {
  let scan: SecretScan
  let context: MaskContext

  /// Items with telling names are masked whole, the others as text; at last the whole, as a value can hold the marks between items.
  func redact(_ query: String) -> MaskedText { across(items(query)) }

  private func items(_ query: String) -> MaskedText {
    var masked = MaskedText(text: "")
    for (index, item) in query.split(separator: "&", omittingEmptySubsequences: false).enumerated() {
      if index > 0 { masked.text += "&" }
      let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      masked.add(scan.mask(parts[0], context: context, shapes: .all))
      guard parts.count == 2 else { continue }
      masked.text += "="
      // In a query `code` and `state` are those of a login whichever call it is.
      let kind = scan.rules.keys.kind(ofName: Self.decoded(parts[0]), context: .authentication)
      if let kind, !parts[1].isEmpty {
        masked.add(whole(Self.decoded(parts[1]), kind: kind))
      } else {
        masked.add(scan.mask(parts[1], context: context, shapes: .all))
      }
    }
    return masked
  }

  /// A URL reference: the query and fragment by the names of their items, the rest as text.
  func redact(reference: String) -> MaskedText {
    var masked = MaskedText(text: "")
    let cut = reference.firstIndex { $0 == "?" || $0 == "#" } ?? reference.endIndex
    masked.add(scan.mask(String(reference[..<cut]), context: context, shapes: .all))
    var rest = reference[cut...]
    while let separator = rest.first {
      rest.removeFirst()
      let end = rest.firstIndex(of: "#") ?? rest.endIndex
      masked.text.append(separator)
      masked.add(items(String(rest[..<end])))
      rest = rest[end...]
    }
    return across(masked)
  }

  /// Masks known values that reach over the parts that were looked at one by one.
  private func across(_ masked: MaskedText) -> MaskedText {
    let whole = scan.mask(masked.text, context: context)
    return MaskedText(text: whole.text, counts: masked.counts.merging(whole.counts, uniquingKeysWith: +))
  }

  /// A tag in the place of a whole value.
  func whole(_ value: String, kind: SecretKind) -> MaskedText {
    let replacement = scan.replacement(for: value, kind: kind)
    return MaskedText(text: replacement.tag, counts: [replacement.kind: 1])
  }

  /// The text with `%XX` undone once.
  private static func decoded(_ text: String) -> String {
    String(decoding: PercentCoding.decodeLeniently(text.utf8), as: UTF8.self)
  }
}
