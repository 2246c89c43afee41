import HTTPTypes

/// A request field that selected a response, with the value that it had (RFC 9111 §4.1).
struct VariedField: Hashable, Sendable {
  /// The name in lower case.
  let name: String
  /// The value; nil where the request had none.
  let value: String?

  /// Fields that differ between any two attempts, so that a response that varies by them never fits another request.
  private static let volatile: Set<String> = ["x-request-id", "x-nonce", "x-signature", "idempotency-key"]

  /// What a response's `Vary` selects of a request's fields; nil where no other request can match: `*`, a field that never
  /// repeats, or a name that is none.
  ///
  /// `Authorization` is left out: it says who asks, and answers of one session never reach another; its value changes with
  /// every refresh.
  static func selected(by response: HTTPFields, from request: HTTPFields) -> [VariedField]? {
    var selected: [VariedField] = []
    for element in (response[.vary] ?? "").split(separator: ",") {
      let name = CacheControl.trimmed(element).lowercased()
      if name.isEmpty || name == "authorization" { continue }
      guard name != "*", !volatile.contains(name), let field = HTTPField.Name(name) else { return nil }
      selected.append(VariedField(name: name, value: request[field].map(normalized)))
    }
    return selected
  }

  /// Whether a request has the value.
  func matches(_ request: HTTPFields) -> Bool {
    guard let field = HTTPField.Name(name) else { return false }
    return request[field].map(Self.normalized) == value
  }

  /// The value with single spaces between its words.
  private static func normalized(_ value: String) -> String {
    value.split(whereSeparator: { $0 == " " || $0 == "\t" }).joined(separator: " ")
  }
}
