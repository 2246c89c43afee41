import JSON
package import Redaction

/// A full attempt, redacted: the row with headers, bodies and timings.
package struct NetworkRowDetail: Encodable, Equatable, Sendable {
  /// The row; its members are encoded into the same object.
  package internal(set) var row: NetworkRow
  /// The redacted URL.
  package internal(set) var url: String {
    didSet { row.host = NetworkRow.host(ofURL: url) }
  }
  /// The redacted query, without `?`.
  package var query: String? { row.query }
  /// The request.
  package internal(set) var request: RedactedMessage
  /// The response; nil if there is none.
  package internal(set) var response: RedactedMessage?
  /// The durations of the phases; some are also members of the row.
  package internal(set) var timings: NetworkTimings {
    didSet { (row.setupMilliseconds, row.waitMilliseconds) = (timings.setup, timings.wait) }
  }
  /// The connection over which the response came; nil if there was none, or if it is unknown.
  package internal(set) var connection: NetworkConnection?
  /// The redactions and their places.
  package internal(set) var redactions: [Redaction] {
    didSet { row.isRedacted = !redactions.isEmpty }
  }
  /// The certificate pins presented when none matched, leaf first. If empty, the JSON omits them.
  package internal(set) var presentedPins: [String] = []
  /// The fingerprint of the redacted request.
  var fingerprint = 0

  private enum CodingKeys: String, CodingKey {
    case url, connection, request, response, timings, redactions
    case presentedPins = "presented_pins"
  }

  private enum MessageKeys: String, CodingKey {
    case status, headers, body
    case tokens
    case bodyNote = "body_note"
  }

  /// Encodes the row's members and its own into one object. Headers are pairs, which preserves order and repetition.
  package func encode(to encoder: any Encoder) throws {
    try row.encode(to: encoder)
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(url, forKey: .url)
    try container.encodeIfPresent(connection, forKey: .connection)
    try container.encode(timings, forKey: .timings)
    try container.encode(redactions, forKey: .redactions)
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
    if !message.tokens.isEmpty { try container.encode(message.tokens, forKey: .tokens) }
  }
}

extension NetworkRowDetail {
  /// Examples that together have every field, for the API description.
  package static var examples: [NetworkRowDetail] {
    let row = NetworkRow(
      id: "", seq: 1, rev: 1, callID: "", parentID: nil, flowID: "", flow: "", startedAt: Timestamp(milliseconds: 0),
      method: "GET", path: "/", endpoint: "", attempt: 1, status: nil, state: .pending, error: nil, durationMilliseconds: nil,
      requestBytes: 0, responseBytes: nil, source: .network, faultID: nil)
    var full = row
    full.errorDetail = ""
    full.query = ""
    full.fault = RowFault(name: "", action: "", preset: "")
    full.host = ""
    full.drift = [NetworkDrift(side: .request, pointer: "", expected: "", got: "", kind: .missing)]
    full.driftCount = 2
    let message = RedactedMessage(
      headers: [("name", "value")], body: "", bodyNote: .dropped, tokens: [MaskedToken.example].compactMap { $0 })
    var bare = message
    bare.tokens = []
    return [
      NetworkRowDetail(
        row: full, url: "", request: message, response: message, timings: NetworkTimings(),
        connection: NetworkConnection(httpVersion: "HTTP/1.1", serverAddress: "127.0.0.1"), redactions: [],
        presentedPins: [""]),
      NetworkRowDetail(
        row: row, url: "", request: bare, response: bare, timings: NetworkTimings(), redactions: []),
      NetworkRowDetail(row: row, url: "", request: bare, response: nil, timings: NetworkTimings(), redactions: []),
    ]
  }
}
