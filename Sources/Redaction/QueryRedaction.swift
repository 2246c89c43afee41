import Text

/// Redacts queries, forms and URL references.
struct QueryRedaction {
  let scan: SecretScan
  let context: MaskContext

  /// Masks the values of telling names entirely and other values as text, then the whole query, because a secret may contain `&`
  /// or `=`.
  func redact(_ query: String) -> MaskedText { across(items(query)) }

  private func items(_ query: String) -> MaskedText {
    var masked = MaskedText(text: "")
    for (index, item) in query.split(separator: "&", omittingEmptySubsequences: false).enumerated() {
      if index > 0 { masked.text += "&" }
      let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      masked.add(scan.mask(parts[0], context: context, shapes: .all))
      guard parts.count == 2 else { continue }
      masked.text += "="
      // In a query, `code` and `state` belong to a login, whatever the call is.
      let verdict = scan.rules.keys.verdict(ofName: PercentCoding.decodeLeniently(parts[0]).utf8, context: .authentication)
      let value = PercentCoding.decodeLeniently(parts[1])
      if let kind = verdict.kind, !value.isEmpty, verdict.isCode || verdict.masks(value.utf8) {
        masked.add(whole(value, kind: kind))
      } else if let kind = scan.kind(ofWhole: value) {
        masked.add(whole(value, kind: kind))
      } else if RandomText.matches(Array(value.utf8)) {
        // Whatever its name: `key`, `hash`, `h`.
        masked.add(whole(value, kind: .token))
      } else {
        masked.add(scan.mask(parts[1], context: context, shapes: .all))
      }
    }
    return masked
  }

  /// Redacts a URL reference: query and fragment by the names of their items, the rest as text.
  func redact(reference: String) -> MaskedText {
    var masked = MaskedText(text: "")
    let cut = reference.firstIndex { $0 == "?" || $0 == "#" } ?? reference.endIndex
    masked.add(PathRedaction(scan: scan, context: context).redact(String(reference[..<cut])))
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

  /// Masks known secrets that span several items.
  private func across(_ masked: MaskedText) -> MaskedText {
    let whole = scan.mask(masked.text, context: context)
    return MaskedText(text: whole.text, counts: masked.counts.merging(whole.counts, uniquingKeysWith: +))
  }

  /// The tag for a whole value.
  func whole(_ value: String, kind: SecretKind) -> MaskedText {
    let replacement = scan.replacement(for: value, kind: kind)
    return MaskedText(text: replacement.tag, counts: [replacement.kind: 1])
  }
}
