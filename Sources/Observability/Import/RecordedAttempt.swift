import HTTPTypes
package import Redaction

/// An attempt of a recording, with or without a response.
package struct RecordedAttempt: Equatable, Sendable {
  /// The id of its row; nil if the recording has none.
  package let id: String?
  /// Shared by all attempts of a call; nil if the recording has none.
  package let callID: String?
  /// The name of the user action; nil if the recording has none.
  package let flow: String?
  package let method: String
  /// As sent, without the query; never empty.
  package let path: String
  /// nil if there was no response.
  package let status: Int?
  /// The response's source, such as `network` or `cache`; nil if the recording has none.
  package let source: String?
  /// The fault rule that applied; nil if none did, or if the recording does not show it.
  package let fault: RowFault?
  /// The duration of the attempt; nil if it is unknown, or longer than eleven days.
  package let milliseconds: Double?
  /// The response body without content coding; nil if it was not recorded.
  package private(set) var body: [UInt8]?

  /// The same attempt, as if its body was not recorded.
  var withoutBody: RecordedAttempt {
    var attempt = self
    attempt.body = nil
    return attempt
  }
}

extension RecordedAttempt {
  /// The same attempt without secrets: files of other programs have them in paths, and as names of fields.
  package func redacted(by redactor: Redactor) -> RecordedAttempt {
    // No call belongs to a known endpoint.
    let traits = EndpointTraits(name: path, isAuthentication: false, logsRequestBody: true, logsResponseBody: true)
    func masked(_ text: String) -> String {
      MaskSkeleton.keep(text, over: redactor.redact(text: text, context: traits.context).text)
    }
    let path = redactor.redact(RawRequest(method: .get, origin: "", path: self.path, endpoint: traits)).path
    let body = self.body.flatMap { body -> [UInt8]? in
      let message = redactor.redact(RawResponse(status: status ?? 0, headers: [], body: body), to: traits).message
      return message.body.map { Array(MaskSkeleton.keep(String(decoding: body, as: UTF8.self), over: $0).utf8) }
    }
    return RecordedAttempt(
      id: id.map(masked), callID: callID, flow: flow.map(masked), method: masked(method),
      path: MaskSkeleton.keep(self.path, over: path),
      status: status, source: source.map(masked), fault: fault?.masked(masked),
      milliseconds: milliseconds, body: body)
  }

  /// The longest duration, in milliseconds.
  static let durations = 0...1e9

  /// A row in the form of its export.
  init(_ detail: NetworkRowDetail) {
    let row = detail.row
    let url = URLText.escaped(detail.url)
    self.init(
      id: row.id, callID: row.callID, flow: row.flow, method: row.method,
      path: HARReader.target(ofURL: url)?.path ?? URLText.escaped(row.path), status: row.status, source: row.source.rawValue,
      fault: row.fault, milliseconds: row.durationMilliseconds.flatMap { Self.durations.contains($0) ? $0 : nil },
      body: detail.response?.body.map { Array($0.utf8) })
  }
}
