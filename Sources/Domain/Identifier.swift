import Text

/// The email address, phone number or name that a user signs in with, in normalized form (seed-rules A-10 "identifier is trimmed", A-11
/// "identifier is validated").
///
/// The check only helps the user early; the backend decides.
package struct Identifier: Hashable, Sendable {
  /// The kind of an identifier.
  package enum Kind: String, Sendable {
    case email, phone
    /// Any other text, which only a backend with a file can accept.
    case name
  }

  /// The kind that was recognized.
  package let kind: Kind
  /// The normalized form: an address in lower case, or `+` and digits.
  package let text: String

  /// Normalizes the user's input, even if it was copied with invisible marks, full-width forms or its `mailto:` or `tel:`.
  ///
  /// Surrounding white space is ignored. An address needs one `@` and a dotted domain, whose letters beyond ASCII become Punycode; what
  /// a mail program copies with a name, `Dana Q <dana@example.com>`, is its address. A phone number starts with `+` or `00`, has 7
  /// to 15 digits (E.164) of any script, and may contain spaces, dots, dashes, slashes, parentheses and the `(0)` that is not dialed
  /// from abroad.
  /// Throws `AuthError.invalidIdentifier` for other text, and for more than 254 bytes.
  package init(normalizing raw: String) throws(AuthError) {
    guard raw.utf8.count <= 1024 else { throw .invalidIdentifier }
    let pasted = Self.withoutScheme(raw.withoutInvisibleMarks.withoutFullWidthForms.trimmingWhitespace)
    let trimmed = Self.withoutDisplayName(pasted)
    guard !trimmed.isEmpty, trimmed.utf8.count <= 254 else { throw .invalidIdentifier }
    if trimmed.utf8.contains(UInt8(ascii: "@")) {
      guard let address = Self.address(trimmed) else { throw .invalidIdentifier }
      kind = .email
      text = address
    } else {
      guard let number = Self.number(trimmed) else { throw .invalidIdentifier }
      kind = .phone
      text = number
    }
  }

  /// Reads a user's input for a backend. A backend with a file alone decides what an identifier is, and gets an address or a name
  /// as it was typed, without surrounding white space.
  ///
  /// Throws `AuthError.invalidIdentifier` as `init(normalizing:)` does, or for a text that is empty, longer than 254 bytes or has
  /// control characters.
  package init(typed raw: String, for offer: BackendOffer) throws(AuthError) {
    guard offer.isOfFile else {
      try self.init(normalizing: raw)
      return
    }
    guard raw.utf8.count <= 1024 else { throw .invalidIdentifier }
    let text = raw.withoutInvisibleMarks.trimmingWhitespace
    guard !text.isEmpty, text.utf8.count <= 254,
      !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
    else { throw .invalidIdentifier }
    let known = try? Identifier(normalizing: raw)
    self.init(kind: known?.kind ?? .name, text: known?.kind == .phone ? known?.text ?? text : text)
  }

  /// The identifier by which accounts are compared, however it was typed: at a backend with a file, a text that is neither an address
  /// nor a number is a name.
  ///
  /// Throws as `init(typed:for:)` does.
  package init(ofAccount raw: String, at offer: BackendOffer) throws(AuthError) {
    do throws(AuthError) { try self.init(normalizing: raw) } catch { try self.init(typed: raw, for: offer) }
  }

  private init(kind: Kind, text: String) {
    self.kind = kind
    self.text = text
  }

  /// The text with its middle hidden, for messages such as "We sent a code to …".
  package var masked: String {
    switch kind {
    case .name:
      return "\(text.prefix(1))•••"
    case .phone:
      return "\(text.prefix(3))•••\(text.suffix(2))"
    case .email:
      let at = text.firstIndex(of: "@") ?? text.endIndex
      return "\(text[..<at].prefix(1))•••\(text[at...])"
    }
  }

  private static func address(_ text: String) -> String? {
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, parts[0].utf8.count <= 64 else { return nil }
    guard let domain = InternationalDomain.ascii(String(parts[1])) else { return nil }
    let labels = domain.split(separator: ".", omittingEmptySubsequences: false)
    guard labels.count >= 2, labels.allSatisfy({ !$0.isEmpty && !$0.hasPrefix("-") && !$0.hasSuffix("-") }) else { return nil }
    let address = "\(String(String.UnicodeScalarView(InternationalDomain.composed(String(parts[0])))))@\(domain)"
    guard address.utf8.count <= 254 else { return nil }
    let refused = address.unicodeScalars.contains {
      $0.properties.isWhitespace || $0.value < 0x20 || $0.value == 0x7F || "<>(),;:\\\"[]".unicodeScalars.contains($0)
    }
    return refused ? nil : address.lowercased()
  }

  /// The address in angle brackets behind a name (RFC 5322 §3.4); other text as it is.
  private static func withoutDisplayName(_ text: String) -> String {
    guard text.hasSuffix(">"), let open = text.firstIndex(of: "<"), text[open...].count(where: { $0 == "<" || $0 == ">" }) == 2
    else { return text }
    return text[open...].dropFirst().dropLast().trimmingWhitespace
  }

  /// The target of a `mailto:` (RFC 6068 §2) or `tel:` (RFC 3966 §3) address; other text unchanged.
  private static func withoutScheme(_ text: String) -> String {
    guard let colon = text.firstIndex(of: ":"), ["mailto", "tel"].contains(text[..<colon].lowercased()) else { return text }
    let rest = text[text.index(after: colon)...].prefix { $0 != "?" && $0 != ";" }
    return (PercentCoding.decode(String(rest)) ?? String(rest)).trimmingWhitespace
  }

  private static func number(_ text: String) -> String? {
    var digits = ""
    var international = false
    // By scalars: a range of characters also contains digits with marks, and characters that only look alike. Italy dials the
    // zero from abroad too.
    let isItalian = text.hasPrefix("+39") || text.hasPrefix("0039")
    let dialed = isItalian ? text : text.replacing("(0)", with: "()")
    for (offset, scalar) in dialed.unicodeScalars.enumerated() {
      let isStart = offset == 0 || offset == 1 && dialed.hasPrefix("(")
      switch scalar {
      // Some write the country's code in parentheses, and some keyboards have small forms.
      case "+" where isStart, "\u{FE62}" where isStart: international = true
      case ".", "(", ")", "/", "\u{2212}": continue
      default:
        if let value = scalar.decimalValue {
          digits += String(value)
        } else if scalar.properties.generalCategory != .dashPunctuation && !scalar.properties.isWhitespace {
          return nil
        }
      }
    }
    if !international, digits.hasPrefix("00") {
      digits.removeFirst(2)
      international = true
    }
    guard international, digits.first != "0", (7...15).contains(digits.count) else { return nil }
    return "+\(digits)"
  }
}
