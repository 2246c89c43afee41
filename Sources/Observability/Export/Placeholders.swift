import Redaction
import Text

/// A text with variables in place of masks.
struct PlaceholderText: Equatable {
  /// A part of the text.
  enum Part: Equatable {
    /// Literal text.
    case text(String)
    /// The value of the variable with this name, which consists of capital letters, digits and `_`.
    case variable(String)
  }

  /// The parts in order.
  var parts: [Part] = []
}

/// The variables of one request; equal masks become the same variable.
struct Placeholders {
  private var byTag: [String: String] = [:]
  /// The variables in the order of their first use.
  private(set) var names: [String] = []

  /// Replaces the masks in a text with variables; `preferred` names the first mask that has no variable yet.
  mutating func replace(_ text: String, preferred: String? = nil) -> PlaceholderText {
    guard text.contains("‹") else { return PlaceholderText(parts: text.isEmpty ? [] : [.text(text)]) }
    var parts: [PlaceholderText.Part] = []
    var literal = ""
    var rest = text[...]
    while let open = rest.firstIndex(of: "‹") {
      literal += rest[..<open]
      rest = rest[open...]
      guard let close = rest.firstIndex(of: "›") else { break }
      let tag = rest[open...close]
      rest = rest[rest.index(after: close)...]
      guard let name = variable(of: tag, preferred: preferred) else {
        literal += tag
        continue
      }
      if !literal.isEmpty { parts.append(.text(literal)) }
      literal = ""
      parts.append(.variable(name))
    }
    literal += rest
    if !literal.isEmpty { parts.append(.text(literal)) }
    return PlaceholderText(parts: parts)
  }

  /// The variable for a tag such as `‹token:3f1c09ab›`; nil if the text is not a valid tag.
  private mutating func variable(of tag: Substring, preferred: String?) -> String? {
    if let known = byTag[String(tag)] { return known }
    let parts = tag.dropFirst().dropLast().split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, let kind = SecretKind(rawValue: String(parts[0])), parts[1].utf8.count == 8,
      parts[1].utf8.allSatisfy({ ASCII.isAlphanumeric($0) })
    else { return nil }
    let wanted = preferred ?? Self.name(of: kind)
    let name = names.contains(wanted) ? "\(wanted)_\(parts[1].uppercased())" : wanted
    byTag[String(tag)] = name
    names.append(name)
    return name
  }

  /// The variable for the mask in a header, named after the header.
  static func name(ofHeader name: String) -> String {
    switch name.lowercased() {
    case "authorization": return "ACCESS_TOKEN"
    case "x-device-id": return "DEVICE_ID"
    case "x-api-id": return "API_ID"
    case "x-signature": return "SIGNATURE"
    default:
      let word = name.utf8.map {
        ASCII.isLowercase($0) ? $0 - 0x20 : ASCII.isAlphanumeric($0) ? $0 : UInt8(ascii: "_")
      }
      return "HEADER_" + String(decoding: word, as: UTF8.self)
    }
  }

  private static func name(of kind: SecretKind) -> String {
    switch kind {
    case .token: "TOKEN"
    case .code: "LOGIN_CODE"
    case .link: "LOGIN_LINK"
    case .email: "EMAIL"
    case .phone: "PHONE"
    case .identifier: "IDENTIFIER"
    case .signature: "SIGNATURE"
    case .key: "KEY"
    case .card: "CARD_NUMBER"
    case .header: "HEADER"
    case .value: "VALUE"
    }
  }
}
