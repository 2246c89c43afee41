/// The redacted headers and body of a request or response.
package struct RedactedMessage: Equatable, Sendable {
  /// The header lines in the order sent.
  package var headers: [(name: String, value: String)]
  /// The text of the body; nil if there is none or it is not stored.
  package var body: String?
  /// Why the body is missing; nil if it is shown or empty.
  package var bodyNote: BodyNote?
  /// The claims of the JSON Web Tokens behind masks.
  package var tokens: [MaskedToken]

  /// Creates a message of texts that are redacted already.
  package init(
    headers: [(name: String, value: String)] = [], body: String? = nil, bodyNote: BodyNote? = nil, tokens: [MaskedToken] = []
  ) {
    self.headers = headers
    self.body = body
    self.bodyNote = bodyNote
    self.tokens = tokens
  }

  package static func == (left: RedactedMessage, right: RedactedMessage) -> Bool {
    left.body == right.body && left.bodyNote == right.bodyNote && left.tokens == right.tokens
      && left.headers.elementsEqual(right.headers, by: ==)
  }

  /// The size of the body in bytes.
  package var bodyBytes: Int { body?.utf8.count ?? 0 }

  /// Drops the body to free memory.
  package mutating func dropBody() {
    guard body != nil else { return }
    body = nil
    bodyNote = .dropped
  }
}

/// Why a row has no body.
package enum BodyNote: String, Codable, CaseIterable, Sendable {
  /// The endpoint does not permit storing bodies.
  case notKept = "not kept"
  /// The body is not in a format that can be redacted with certainty.
  case unreadable = "not kept: not JSON"
  /// The body is too large.
  case tooLarge = "not kept: too large"
  /// The body was evicted to make room for later ones.
  case dropped = "dropped"
  /// The program that wrote the imported file did not record the body.
  case notRecorded = "not recorded"
}
