import JSON
import Redaction

extension NetworkRowDetail {
  /// Examples that together have every member, for the API description: one with all of them, one with as few as possible.
  package static var examples: [NetworkRowDetail] {
    let row = NetworkRow(
      id: "", seq: 1, rev: 1, callID: "", parentID: nil, flowID: "", flow: "", startedAt: Timestamp(milliseconds: 0),
      method: "GET", path: "/", endpoint: "", attempt: 1, status: nil, state: .pending, error: nil, durationMilliseconds: nil,
      requestBytes: 0, responseBytes: nil, source: .network, faultID: nil)
    var full = row
    full.errorDetail = ""
    full.query = ""
    full.drift = [NetworkDrift(side: .request, pointer: "", expected: "", got: "", kind: .missing)]
    full.driftCount = 2
    let message = RedactedMessage(headers: [("name", "value")], body: "", bodyNote: .dropped)
    return [
      NetworkRowDetail(
        row: full, url: "", request: message, response: message, timings: NetworkTimings(),
        connection: NetworkConnection(httpVersion: "HTTP/1.1", serverAddress: "127.0.0.1"), redactions: [],
        presentedPins: [""]),
      NetworkRowDetail(
        row: row, url: "", request: message, response: nil, timings: NetworkTimings(), redactions: []),
    ]
  }
}
