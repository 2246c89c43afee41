import JSON
import Redaction
import Text

extension SecretRegistry {
  /// Registers the secrets in a response before any of it is stored: tokens, email address and phone number.
  ///
  /// They are found in snake_case and camelCase, in the document's object and in the objects that are its members.
  func learn(fromAnswer document: JSONDocument) { learn(fromMembersOf: 0, in: document, document.tokens, inner: true) }

  /// Registers the secrets in a response body; does nothing if it is not JSON.
  func learn(fromAnswer body: [UInt8]) {
    if let document = try? JSONDocument(parsing: body) { learn(fromAnswer: document) }
  }

  /// Reads the tokens in place, because most responses contain nothing to register.
  private func learn(fromMembersOf object: Int, in document: JSONDocument, _ tokens: [JSONToken], inner: Bool) {
    guard tokens[object].kind == .object else { return }
    var key = object + 1
    for _ in 0..<tokens[object].count {
      let value = tokens[key].next
      if let kind = Self.kind(of: tokens[key], in: document) { learn(tokens[value], kind, in: document) }
      if inner { learn(fromMembersOf: value, in: document, tokens, inner: false) }
      key = tokens[value].next
    }
  }

  private func learn(_ value: JSONToken, _ kind: SecretKind, in document: JSONDocument) {
    // An identifier that is a number is read as text.
    guard value.kind == .string || value.kind == .number else { return }
    let text = document.text(of: value)
    if !text.isEmpty { register(text, kind: kind) }
  }

  private static let names: [(folded: [UInt8], kind: SecretKind)] = [
    (Array("accesstoken".utf8), .token), (Array("refreshtoken".utf8), .token), (Array("idtoken".utf8), .token),
    (Array("email".utf8), .email), (Array("phone".utf8), .phone),
  ]

  private static func kind(of key: JSONToken, in document: JSONDocument) -> SecretKind? {
    let bytes = document.bytes[(key.start + 1)..<(key.end - 1)]
    // Other alphabets have capitals of these letters too, so such a name is folded as text.
    guard !key.isEscaped, bytes.allSatisfy({ $0 < 0x80 }) else {
      let folded = Array(document.text(of: key).lowercased().utf8)
      return names.first { isName(folded[...], $0.folded) }?.kind
    }
    return names.first { isName(bytes, $0.folded) }?.kind
  }

  /// Whether a name is the folded one, without its underscores and in lower case.
  private static func isName(_ name: ArraySlice<UInt8>, _ folded: [UInt8]) -> Bool {
    var length = 0
    for byte in name where byte != UInt8(ascii: "_") {
      let isCapital = ASCII.isUppercase(byte)
      guard length < folded.count, folded[length] == (isCapital ? byte | 0x20 : byte) else { return false }
      length += 1
    }
    return length == folded.count
  }
}
