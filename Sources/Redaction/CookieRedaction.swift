import Text

/// Redacts `Cookie` and `Set-Cookie` (RFC 6265) by their parts: names and attributes stay, so that an explanation distinguishes a
/// session's cookie from others and shows when it is deleted.
struct CookieRedaction {
  let scan: SecretScan
  let context: MaskContext

  /// Attributes without secrets: RFC 6265 §4.1, and others in use.
  private static let attributes: Set<String> = [
    "domain", "expires", "httponly", "max-age", "partitioned", "path", "priority", "samesite", "secure",
  ]
  /// Values that some frameworks write when they delete a cookie.
  private static let deleted: Set<String> = ["", "deleted", "\"\""]

  /// Redacts a value of the field. `isSet` is whether attributes follow the first cookie; some programs write several on a line each.
  func redact(_ value: String, isSet: Bool) -> MaskedText {
    var masked = MaskedText(text: "")
    for (index, line) in value.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      if index > 0 { masked.text += "\n" }
      for (place, part) in line.split(separator: ";", omittingEmptySubsequences: false).enumerated() {
        if place > 0 { masked.text += ";" }
        let blank = part.prefix { $0 == " " || $0 == "\t" }
        masked.text += blank
        masked.add(
          isSet && place > 0
            ? attribute(part[blank.endIndex...])
            : pair(part[blank.endIndex...], isDeletion: isSet && line.contains(";")))
      }
    }
    // A known secret may contain a semicolon.
    let whole = scan.mask(masked.text, context: context)
    return MaskedText(text: whole.text, counts: masked.counts.merging(whole.counts, uniquingKeysWith: +))
  }

  /// Redacts a name with its value. `isDeletion` is whether the value can be empty.
  private func pair(_ part: Substring, isDeletion: Bool) -> MaskedText {
    if part.isEmpty { return MaskedText(text: "") }
    guard let sign = part.firstIndex(of: "=") else { return whole(part) }
    let name = part[..<sign]
    let value = part[part.index(after: sign)...]
    // The padding of Base64.
    if value.allSatisfy({ $0 == "=" }), !value.isEmpty || !isDeletion { return whole(part) }
    var masked = RandomText.occurs(in: Array(name.utf8)) ? whole(name) : text(name)
    masked.text += "="
    masked.add(Self.deleted.contains(String(value)) ? MaskedText(text: String(value)) : whole(value))
    return masked
  }

  private func attribute(_ part: Substring) -> MaskedText {
    let name = part.prefix { $0 != "=" }
    guard Self.attributes.contains(name.trimmingWhitespace.lowercased()) else { return pair(part, isDeletion: false) }
    // Several fields that a program joined by a comma or a line end: another cookie follows.
    let value = part.dropFirst(name.count + 1)
    guard value.contains(where: { $0 == "=" || $0.isNewline }) else { return text(part) }
    var masked = text(name)
    masked.text += "="
    masked.add(whole(value))
    return masked
  }

  private func text(_ text: Substring) -> MaskedText { scan.mask(String(text), context: context, shapes: .all) }

  /// The kind identifies values that are too short to distinguish sessions.
  private func whole(_ value: Substring) -> MaskedText {
    QueryRedaction(scan: scan, context: context).whole(
      String(value), kind: value.utf8.count < CookieHeader.tellingLength ? .value : .key)
  }
}
