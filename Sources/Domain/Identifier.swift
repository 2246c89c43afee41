/// What a person signs in with: an e-mail address or a phone number, in its normal form (seed 002 §2.1).
///
/// The check is for the user's comfort only; the backend remains the arbiter.
package struct Identifier: Hashable, Sendable {
  /// Which of the two forms an identifier has.
  package enum Kind: String, Sendable {
    case email, phone
  }

  /// The form that was recognised.
  package let kind: Kind
  /// The normal form: a lower-cased address, or `+` and digits.
  package let text: String

  /// Normalises what was typed.
  ///
  /// Spaces around are dropped; an address is lower-cased and must have one `@` with a dotted domain; a phone number may
  /// carry spaces, dots, dashes and brackets, starts with `+` or `00`, and has 7 to 15 digits (E.164).
  /// Throws `AuthError.invalidIdentifier` for anything else, and for more than 254 bytes.
  package init(normalizing raw: String) throws(AuthError) {
    let trimmed = raw.trimmed
    guard !trimmed.isEmpty, trimmed.utf8.count <= 254 else { throw .invalidIdentifier }
    if trimmed.utf8.contains(UInt8(ascii: "@")) {
      guard let address = Self.address(trimmed) else { throw .invalidIdentifier }
      (kind, text) = (.email, address)
    } else {
      guard let number = Self.number(trimmed) else { throw .invalidIdentifier }
      (kind, text) = (.phone, number)
    }
  }

  /// The text with its middle hidden, fit to be shown beside "we sent a message to".
  package var masked: String {
    switch kind {
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
    let labels = parts[1].split(separator: ".", omittingEmptySubsequences: false)
    guard labels.count >= 2, labels.allSatisfy({ !$0.isEmpty && !$0.hasPrefix("-") && !$0.hasSuffix("-") }) else { return nil }
    let refused = text.unicodeScalars.contains {
      $0.properties.isWhitespace || $0.value < 0x20 || $0.value == 0x7F || "<>(),;:\\\"[]".unicodeScalars.contains($0)
    }
    return refused ? nil : text.lowercased()
  }

  private static func number(_ text: String) -> String? {
    var digits = ""
    var international = false
    for (offset, character) in text.enumerated() {
      switch character {
      case "0"..."9": digits.append(character)
      case "+" where offset == 0: international = true
      case " ", ".", "-", "(", ")", "/", "\u{A0}": continue
      default: return nil
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

extension String {
  /// The string without the white space around it.
  var trimmed: String {
    let kept = drop { $0.isWhitespace }
    guard let last = kept.lastIndex(where: { !$0.isWhitespace }) else { return "" }
    return String(kept[...last])
  }
}
