import HTTPTypes
package import JSON
package import Observability
import OpenAPI

/// The route to the differences between a device's exchanges and the API description.
enum DriftRoutes {
  static let routes = [
    ConsoleRoute(
      .get, "/api/drift",
      Operation(
        "drift", tag: "network",
        "The differences between the device's exchanges and the backend's OpenAPI document, by endpoint, since the log was cleared.",
        responses: [.json("By endpoint, and the document or why there is none.", DriftBody.self)]),
      .device { _, device in
        device.log.flush()
        let drift = device.drift
        return try .body(DriftBody(drift, device.log.driftSummary, drift.comparer.counts))
      })
  ]
}

/// The differences of an endpoint, as the console's API and the report of a check have them.
package struct DriftEndpointBody: Codable, Hashable, Sendable {
  /// A difference with how often and when it was seen.
  package struct Difference: Codable, Hashable, Sendable {
    package let side: NetworkDrift.Side
    package let pointer: String
    package let expected: String
    package let got: String
    package let kind: NetworkDrift.Kind
    package let count: Int
    package let firstSeenAt: Timestamp
    package let lastSeenAt: Timestamp
    package let lastRowId: String

    private enum CodingKeys: String, CodingKey {
      case pointer, expected, got, kind, count, firstSeenAt, lastSeenAt, lastRowId
      case side = "where"
    }

    init(_ difference: DriftSummary.Difference) {
      side = difference.drift.side
      pointer = difference.drift.pointer
      expected = difference.drift.expected
      got = difference.drift.got
      kind = difference.drift.kind
      count = difference.count
      firstSeenAt = difference.firstSeenAt
      lastSeenAt = difference.lastSeenAt
      lastRowId = difference.lastRowID
    }
  }

  package let method: String
  package let endpoint: String
  package let path: String
  package let rows: Int
  package let firstSeenAt: Timestamp
  package let lastSeenAt: Timestamp
  package let differences: [Difference]

  package init(_ endpoint: DriftSummary.Endpoint) {
    method = endpoint.method
    self.endpoint = endpoint.endpoint
    path = endpoint.path
    rows = endpoint.rows
    firstSeenAt = endpoint.firstSeenAt
    lastSeenAt = endpoint.lastSeenAt
    differences = endpoint.differences.map(Difference.init)
  }
}

/// The response of `GET /api/drift`.
struct DriftBody: Codable {
  enum State: String, Codable, CaseIterable {
    /// The document is being fetched.
    case loading
    /// Exchanges are compared with the document.
    case comparing
    /// There is no document.
    case none
  }

  /// The document, or where it was looked for.
  struct Document: Codable {
    let state: State
    let source: String
    var title: String?
    var version: String?
    var operations: Int?
    var notes: [String]?
    var reason: DriftDetector.Reason?
    var detail: String?
    /// The row of the request for it; nil if there was none to the backend.
    var rowId: String?

    init(_ status: DriftDetector.Status, rowID: String?) {
      rowId = rowID
      switch status {
      case .loading(let source): (state, self.source) = (.loading, source)
      case .comparing(let document):
        state = .comparing
        source = document.source
        title = document.title
        version = document.version
        operations = document.operations
        notes = document.notes
      case .none(let source, let reason, let detail):
        state = .none
        self.source = source
        self.reason = reason
        self.detail = detail
      }
    }
  }

  let document: Document
  let endpoints: [DriftEndpointBody]
  let unlisted: Int
  /// Of all devices, since the console started.
  let compared: UInt64
  let dropped: UInt64

  init(_ detector: DriftDetector, _ summary: DriftSummary, _ counts: ExchangeComparer.Counts) {
    document = Document(detector.status, rowID: detector.toolLog?.rows(filter: .tool).events.last?.id)
    endpoints = summary.endpoints.map(DriftEndpointBody.init)
    unlisted = summary.unlisted
    compared = counts.compared
    dropped = counts.dropped
  }
}

extension DriftBody: SchemaProvider {
  static var schema: Schema {
    .recorded(from: Self.self).refined([
      "unlisted": .minimum(0), "document.operations": .minimum(0), "document.row_id": .uuid, "endpoints[].rows": .minimum(1),
      "endpoints[].differences[].count": .minimum(1), "endpoints[].differences[].last_row_id": .uuid,
    ])
  }
}
