import JSON
import Observability
import Redaction

extension SecretRegistry {
  /// Registers the secrets in a response before any of it is stored: tokens, e-mail address and phone number.
  ///
  /// They are found in snake_case and camelCase, in the document's object and in the objects that are its members.
  func learn(fromAnswer document: JSONDocument) {
    for (key, value) in document.root.memberNodes {
      learn(key, value)
      for (key, value) in value.memberNodes { learn(key, value) }
    }
  }

  /// Registers the secrets in a response body; does nothing if it is not JSON.
  func learn(fromAnswer body: [UInt8]) {
    if let document = try? JSONDocument(parsing: body) { learn(fromAnswer: document) }
  }

  private func learn(_ key: JSONNode, _ value: JSONNode) {
    guard let kind = Self.kind(of: key) else { return }
    // An identifier that is a number is read as text.
    let text = value.kind == .number ? value.sourceText : value.string ?? ""
    if !text.isEmpty { register(text, kind: kind) }
  }

  private static func kind(of key: JSONNode) -> SecretKind? {
    switch key.string?.lowercased().filter({ $0 != "_" }) {
    case "accesstoken", "refreshtoken", "idtoken": .token
    case "email": .email
    case "phone": .phone
    default: nil
    }
  }
}
