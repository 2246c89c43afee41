/// One attempt whole, redacted: the row with its headers, bodies and timings.
package struct NetworkRowDetail: Encodable, Equatable, Sendable {
  /// The row, whose members stand beside the others.
  package internal(set) var row: NetworkRow
  /// Scheme, authority, path and query, redacted.
  package internal(set) var url: String
  /// The query, redacted, without `?`.
  package internal(set) var query: String?
  /// The request.
  package internal(set) var request: RedactedMessage
  /// The response; nil when there is none.
  package internal(set) var response: RedactedMessage?
  /// How long the phases took; the row has its share of it.
  package internal(set) var timings: NetworkTimings {
    didSet { (row.setupMilliseconds, row.waitMilliseconds) = (timings.setup, timings.wait) }
  }
  /// What was taken out, and where; the row says whether anything was.
  package internal(set) var redactions: [Redaction] {
    didSet { row.isRedacted = !redactions.isEmpty }
  }
  /// The error in the transport's words, redacted.
  package internal(set) var errorDetail: String?
  /// The pins that were presented where none matched, leaf first; else empty, and left out of the JSON.
  package internal(set) var presentedPins: [String] = []
  /// The fingerprint of the request as it was redacted.
  var fingerprint = 0

  private enum CodingKeys: String, CodingKey {
    case url, request, response, timings, redactions
    case errorDetail = "error_detail"
    case presentedPins = "presented_pins"
  }

  private enum MessageKeys: String, CodingKey {
    case status, headers, body
    case bodyNote = "body_note"
  }

  /// Writes the row's members and its own into one object; headers are pairs, so that repeated ones and their order stay.
  package func encode(to encoder: any Encoder) throws {
    try row.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(url, forKey: .url)
    try container.encode(timings, forKey: .timings)
    try container.encode(redactions, forKey: .redactions)
    try container.encodeIfPresent(errorDetail, forKey: .errorDetail)
    if !presentedPins.isEmpty { try container.encode(presentedPins, forKey: .presentedPins) }
    var nested = container.nestedContainer(keyedBy: MessageKeys.self, forKey: .request)
    try encode(request, into: &nested)
    guard let response else { return }
    nested = container.nestedContainer(keyedBy: MessageKeys.self, forKey: .response)
    try nested.encodeIfPresent(row.status, forKey: .status)
    try encode(response, into: &nested)
  }

  private func encode(_ message: RedactedMessage, into container: inout KeyedEncodingContainer<MessageKeys>) throws {
    try container.encode(message.headers.map { [$0.name, $0.value] }, forKey: .headers)
    try container.encodeIfPresent(message.body, forKey: .body)
    try container.encodeIfPresent(message.bodyNote, forKey: .bodyNote)
  }
}
