package import JSON

/// One attempt in the network log, redacted, as `GET /api/network` and the event stream send it.
package struct NetworkRow: Codable, Equatable, Identifiable, Sendable {
  /// The progress of an attempt.
  package enum State: String, Codable, CaseIterable, Sendable {
    /// Waiting for another event, such as a refresh or the end of the delay before a retry.
    case waiting
    /// Sent, or being sent.
    case pending
    /// Ended with a successful response.
    case success
    /// Ended with an error, or without a response.
    case failure
    /// Canceled by the caller.
    case cancelled

    /// Whether the attempt has finished.
    package var isFinal: Bool { self != .waiting && self != .pending }
  }

  /// The source of a response.
  package enum Source: String, Codable, CaseIterable, Sendable {
    /// The backend.
    case network
    /// The client's cache.
    case cache
    /// A fault rule, without contacting the backend.
    case fault
    /// The backend, for a request that was sent again from the console.
    case replay
    /// The backend, for a request that was composed in the console.
    case composed
    /// The backend, for a request of the console itself.
    case tool
  }

  /// The attempt's ID; a lower-case UUID.
  package let id: String
  /// The position in the log, from 1; never changed or reused.
  package let seq: RowSequence
  /// The number of revisions, from 1.
  package internal(set) var rev: Int
  /// Shared by all attempts of a call.
  package let callID: String
  /// The row that caused this attempt.
  package let parentID: String?
  /// Identifies the user action.
  package let flowID: String
  /// The name of the user action.
  package let flow: String
  /// The start time.
  package let startedAt: Timestamp
  /// The method.
  package internal(set) var method: String
  /// The redacted path as sent, without the query.
  package internal(set) var path: String
  /// The redacted query as sent, without `?`.
  package internal(set) var query: String?
  /// The authority in the URL, such as `127.0.0.1:8443`; nil in rows that were recorded before rows had it.
  package internal(set) var host: String?
  /// The name of the endpoint.
  package internal(set) var endpoint: String
  /// The number of the attempt within its call, from 1.
  package let attempt: Int
  /// The status code of the response.
  package internal(set) var status: Int?
  /// The progress.
  package internal(set) var state: State
  /// The error, as a short code.
  package internal(set) var error: String?
  /// The error's description, redacted: the transport's words, or the fault of the body.
  package internal(set) var errorDetail: String?
  /// The duration of the whole attempt in milliseconds.
  package internal(set) var durationMilliseconds: Double?
  /// From the start to the last byte of the request, in milliseconds.
  package internal(set) var setupMilliseconds: Double?
  /// From the last byte of the request to the first byte of the response, in milliseconds.
  package internal(set) var waitMilliseconds: Double?
  /// The bytes of the request body.
  package internal(set) var requestBytes: Int
  /// The bytes of the response body as sent over the network.
  package internal(set) var responseBytes: Int?
  /// The source of the response.
  package internal(set) var source: Source
  /// The fault rule's ID; nil if none applied.
  package internal(set) var faultID: String?
  /// The fault rule that applied; nil if none did, or in rows of earlier versions.
  package internal(set) var fault: RowFault?
  /// The differences from the API description, each once; nil if there are none or the exchange was not compared.
  package internal(set) var drift: [NetworkDrift]?
  /// The number of differences, if more than `drift` lists.
  package internal(set) var driftCount: Int?
  /// Whether the row is kept when older rows are evicted.
  package internal(set) var isPinned = false
  /// Whether anything was redacted: in the URL, headers, bodies or error.
  package internal(set) var isRedacted = false

  /// Whether a fault rule responded to the attempt, delayed it or changed it.
  package var isFaulted: Bool { source == .fault || faultID != nil }

  private enum CodingKeys: String, CodingKey {
    case id, seq, rev, flow, method, path, query, host, endpoint, attempt, status, state, error, source, fault, drift
    case callID = "call_id"
    case parentID = "parent_id"
    case flowID = "flow_id"
    case errorDetail = "error_detail"
    case startedAt = "started_at"
    case durationMilliseconds = "duration_ms"
    case setupMilliseconds = "setup_ms"
    case waitMilliseconds = "wait_ms"
    case requestBytes = "request_bytes"
    case responseBytes = "response_bytes"
    case faultID = "fault_id"
    case driftCount = "drift_count"
    case isPinned = "is_pinned"
    case isRedacted = "is_redacted"
  }

  /// The authority of a URL or an origin; nil if there is none.
  static func host(ofURL url: String) -> String? {
    let rest = url.utf8.drop { $0 != UInt8(ascii: ":") }
    guard url.utf8.first != UInt8(ascii: "/"), rest.starts(with: "://".utf8) else { return nil }
    let host = rest.dropFirst(3).prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
    return host.isEmpty ? nil : String(Substring(host))
  }
}
