/// The rules of redaction. Each has a name, so that a test can remove one and see its effect.
package struct RedactionRules: Sendable {
  package static let all = RedactionRules()

  /// The encodings in which known secrets are found.
  let forms: SecretForms
  /// The shapes of values that are always treated as secrets.
  let shapes: SecretShapes
  /// The names that indicate a secret.
  let keys: SecretKeyRules
  /// Whether headers are masked unless they are known to be harmless.
  let hidesOtherHeaders: Bool

  /// Creates all rules, and rules for names whose values are masked too.
  package init(masking names: [MaskedName]) { self.init(leavingOut: nil, masking: names) }

  /// All rules except the named one.
  init(leavingOut name: String? = nil, masking names: [MaskedName] = []) {
    forms = SecretForms(SecretForms.named.filter { $0.name != name }.map(\.form))
    shapes = SecretShapes(SecretShapes.named.filter { $0.name != name }.map(\.shape))
    keys = SecretKeyRules(leavingOut: name, masking: names)
    hidesOtherHeaders = name != Self.otherHeaders
  }

  /// The names of all rules.
  static let names = SecretForms.named.map(\.name) + SecretShapes.named.map(\.name) + SecretKeyRules.names + [otherHeaders]

  private static let otherHeaders = "header.other"
}

extension RedactionRules {
  /// Whether a person's text contains a credential by its shape: a web token, a long random text, a key with the beginning of its
  /// issuer, or a value after `Bearer` or `Basic`.
  package static func hasCredential(_ text: String) -> Bool {
    let shapes: SecretShapes = [.webToken, .longToken, .issuer, .bearer, .basic, .userinfo]
    return !shapes.spans(in: DecodedView(Array(text.utf8), keepsOffsets: false), context: .general, keys: all.keys).isEmpty
  }
}
