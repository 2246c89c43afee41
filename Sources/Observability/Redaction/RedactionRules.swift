/// Every rule of the redaction, each under a name, so that a test can take one away and see what it alone hides.
package struct RedactionRules: Sendable {
  /// Everything there is.
  package static let all = RedactionRules()

  /// What known values are looked for as.
  let forms: SecretForms
  /// What looks like a secret whoever it belongs to.
  let shapes: SecretShapes
  /// What names announce a secret.
  let keys: SecretKeyRules
  /// Whether headers that are not known to be harmless are masked.
  let hidesOtherHeaders: Bool

  /// The rules but for the named one.
  init(leavingOut name: String? = nil) {
    forms = SecretForms(SecretForms.named.filter { $0.name != name }.map(\.form))
    shapes = SecretShapes(SecretShapes.named.filter { $0.name != name }.map(\.shape))
    keys = SecretKeyRules(leavingOut: name)
    hidesOtherHeaders = name != Self.otherHeaders
  }

  /// The name of every rule.
  static let names = SecretForms.named.map(\.name) + SecretShapes.named.map(\.name) + SecretKeyRules.names + [otherHeaders]

  private static let otherHeaders = "header.other"
}
