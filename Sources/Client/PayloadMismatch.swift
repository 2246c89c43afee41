import JSON

/// Why a response cannot be used: what was expected and what came, in kinds and never with a value of the response.
package struct PayloadMismatch: Error, Hashable, Sendable, CustomStringConvertible {
  /// The keys and indices that lead to the member, such as `profiles.0.profile_id`; empty for the body as a whole.
  package let path: String
  /// What was expected, such as `a string`; nil if it goes without saying.
  package let expected: String?
  /// What came instead, such as `a number` or `missing`.
  package let found: String

  package init(path: String = "", expected: String? = nil, found: String) {
    self.path = path
    self.expected = expected
    self.found = found
  }

  /// Describes why a body does not match its type.
  init(_ error: JSONError) {
    self.init(
      path: error.path, expected: error.expected,
      found: error.reason == .missingMember ? "missing" : error.found ?? "not as expected")
  }

  /// One line for rows, logs and reports, such as `active_profile_id is a number, expected a string`.
  package var description: String {
    "\(path.isEmpty ? "the body" : path) is \(found)\(expected.map { ", expected \($0)" } ?? "")"
  }

  /// The body is empty although the endpoint's type needs one.
  package static let emptyBody = PayloadMismatch(expected: "JSON", found: "empty")
  /// The body is not valid JSON.
  package static let notJSON = PayloadMismatch(found: "not JSON")
  /// The body is longer than the endpoint accepts.
  package static let tooLarge = PayloadMismatch(found: "too large")
  /// The response breaks the HTTP protocol.
  package static let notHTTP = PayloadMismatch(path: "the response", found: "not valid HTTP")
  /// The request cannot be written as JSON.
  static let unencodableRequest = PayloadMismatch(path: "the request", found: "not encodable as JSON")

  /// A status that neither succeeds nor fails, such as a redirect.
  package static func unexpected(status: Int) -> PayloadMismatch {
    PayloadMismatch(path: "the status", expected: "2xx, 4xx or 5xx", found: "\(status)")
  }
}
