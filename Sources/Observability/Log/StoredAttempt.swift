package import JSON
import Redaction

/// An attempt as it is stored: the row, and the rest of the detail, each as a JSON document.
package struct StoredAttempt: Sendable {
  /// The row as the event stream carries it.
  package let row: [UInt8]
  /// The detail's fields in addition to the row; nil if they are stored already and only the row changed.
  package let rest: [UInt8]?

  /// Creates the stored form of an attempt. A detail whose bodies left the memory has no rest, so that they stay stored.
  package init(_ attempt: NetworkRowDetail) {
    row = attempt.row.json
    if attempt.lacksBody {
      rest = nil
    } else {
      var writer = JSONWriter()
      RowText.writeRest(attempt, into: &writer)
      rest = writer.bytes
    }
  }

  /// The attempt of stored documents; throws if one of them is invalid.
  package static func attempt(row: [UInt8], rest: [UInt8]) throws(JSONError) -> NetworkRowDetail {
    let row = try JSONCoding.decode(NetworkRow.self, from: row)
    let rest = try JSONCoding.decode(Rest.self, from: rest)
    return NetworkRowDetail(rest: rest, row: row)
  }

  /// Returns the attempt of a document with the fields of the row and the rest, as `NetworkRowDetail.json` writes it.
  static func attempt(whole document: JSONDocument) throws(JSONError) -> NetworkRowDetail {
    let row = try JSONCoding.decode(NetworkRow.self, from: document)
    return NetworkRowDetail(rest: try JSONCoding.decode(Rest.self, from: document), row: row)
  }

  /// A detail's fields in addition to the row.
  fileprivate struct Rest: Decodable {
    let url: String
    let timings: NetworkTimings
    let connection: NetworkConnection?
    let redactions: [Redaction]
    let presentedPins: [String]?
    let request: Message
    let response: Message?

    private enum CodingKeys: String, CodingKey {
      case url, timings, connection, redactions, request, response
      case presentedPins = "presented_pins"
    }
  }

  /// The headers and the body of a message.
  fileprivate struct Message: Decodable {
    let headers: [[String]]
    let body: String?
    let bodyNote: BodyNote?
    let tokens: [Token]?

    /// A token; nil if it is damaged, so that the row is still readable.
    struct Token: Decodable {
      let token: MaskedToken?

      init(from decoder: any Decoder) { token = try? MaskedToken(from: decoder) }
    }

    private enum CodingKeys: String, CodingKey {
      case headers, body, tokens
      case bodyNote = "body_note"
    }

    var redacted: RedactedMessage {
      RedactedMessage(
        headers: headers.compactMap { $0.count == 2 ? (name: $0[0], value: $0[1]) : nil }, body: body, bodyNote: bodyNote,
        tokens: (tokens ?? []).compactMap(\.token))
    }
  }
}

extension NetworkRowDetail {
  /// Whether a body was evicted from memory.
  package var lacksBody: Bool { request.bodyNote == .dropped || response?.bodyNote == .dropped }

  fileprivate init(rest: StoredAttempt.Rest, row: NetworkRow) {
    self.init(
      row: row, url: rest.url, request: rest.request.redacted, response: rest.response?.redacted, timings: rest.timings,
      connection: rest.connection.flatMap {
        NetworkConnection(httpVersion: $0.httpVersion, serverAddress: $0.serverAddress)
      },
      redactions: rest.redactions, presentedPins: rest.presentedPins ?? [])
  }
}
