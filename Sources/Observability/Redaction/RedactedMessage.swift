/// The headers and body of a request or response, redacted.
package struct RedactedMessage: Equatable, Sendable {
  /// The header lines in wire order.
  package internal(set) var headers: [(name: String, value: String)]
  /// The body's text; nil for none or one that is not kept.
  package internal(set) var body: String?
  /// Why there is no body; nil where it is shown or empty.
  package internal(set) var bodyNote: BodyNote?

  /// Equal parts make equal messages.
  package static func == (left: RedactedMessage, right: RedactedMessage) -> Bool {
    left.body == right.body && left.bodyNote == right.bodyNote && left.headers.elementsEqual(right.headers, by: ==)
  }

  /// The bytes that the body takes in the log.
  var bodyBytes: Int { body?.utf8.count ?? 0 }

  /// Gives the body up to make room.
  mutating func dropBody() {
    guard body != nil else { return }
    body = nil
    bodyNote = .dropped
  }
}

/// Why a row shows no body.
package enum BodyNote: String, Codable, CaseIterable, Sendable {
  /// The endpoint's bodies may not be kept.
  case notKept = "not kept"
  /// It may be kept, but is no JSON that could be redacted with certainty.
  case unreadable = "not kept: not JSON"
  /// It is too large to be kept.
  case tooLarge = "not kept: too large"
  /// It was kept, and gave way to later ones.
  case dropped = "dropped"
}
