import HTTPTypes
import Text

/// A request field that selected a response, and its value (RFC 9111 §4.1).
struct VariedField: Hashable, Sendable {
  /// The name in lower case.
  let name: String
  /// The value; nil if the request had none.
  let value: String?

  /// Fields that differ in every attempt: a response that varies by them never matches another request.
  private static let volatile: Set<String> = ["x-request-id", "x-nonce", "x-signature", "idempotency-key"]

  /// The request fields that a response's `Vary` names; nil if no other request can match: `*`, a field that never repeats, or
  /// an invalid name.
  ///
  /// `Authorization` is ignored: sessions never share responses, and its value changes with every refresh.
  static func selected(by response: HTTPFields, from request: HTTPFields) -> [VariedField]? {
    var selected: [VariedField] = []
    for element in (response[.vary] ?? "").split(separator: ",") {
      let name = element.trimmingBlanks.lowercased()
      if name.isEmpty || name == "authorization" { continue }
      guard name != "*", !volatile.contains(name), let field = HTTPField.Name(name) else { return nil }
      selected.append(VariedField(name: name, value: request[field].map(normalized)))
    }
    return selected
  }

  /// Whether a request has the same value.
  func matches(_ request: HTTPFields) -> Bool {
    guard let field = HTTPField.Name(name) else { return false }
    return request[field].map(Self.normalized) == value
  }

  /// The value with white space collapsed.
  private static func normalized(_ value: String) -> String {
    value.split(whereSeparator: { $0 == " " || $0 == "\t" }).joined(separator: " ")
  }
}
