package import JSON

/// One attempt in the network log, redacted, as the list and the events carry it (contract §2.4).
package struct NetworkRow: Codable, Equatable, Identifiable, Sendable {
  /// How far an attempt is.
  package enum State: String, Codable, CaseIterable, Sendable {
    /// It waits for something else: a refresh, a delay before a retry.
    case waiting
    /// It is on its way.
    case pending
    /// It was answered as hoped.
    case success
    /// It was answered with an error, or not at all.
    case failure
    /// The caller gave it up.
    case cancelled

    /// Whether nothing more is to come.
    package var isFinal: Bool { self != .waiting && self != .pending }
  }

  /// Where an answer came from.
  package enum Source: String, Codable, CaseIterable, Sendable {
    /// The backend.
    case network
    /// The client's cache.
    case cache
    /// A fault rule, without the backend.
    case fault
    /// The backend, for a request that was sent again or written in the console.
    case replay
  }

  /// The attempt; a lower-case UUID.
  package let id: String
  /// Its place in the log, from 1 on; never changes and is never given twice.
  package let seq: UInt64
  /// Counts the updates, from 1 on.
  package internal(set) var rev: Int
  /// Joins the attempts of a call.
  package let callID: String
  /// The row that caused this one.
  package let parentID: String?
  /// The user action.
  package let flowID: String
  /// The user action's name.
  package let flow: String
  /// When it began.
  package let startedAt: Timestamp
  /// The method.
  package internal(set) var method: String
  /// The path as on the wire, redacted, without the query.
  package internal(set) var path: String
  /// The endpoint's name.
  package internal(set) var endpoint: String
  /// The number of the attempt within its call, from 1 on.
  package let attempt: Int
  /// The answer's status code.
  package internal(set) var status: Int?
  /// How far it is.
  package internal(set) var state: State
  /// What went wrong, in a word.
  package internal(set) var error: String?
  /// The whole attempt in milliseconds.
  package internal(set) var durationMilliseconds: Double?
  /// From its begin to the request's last byte, in milliseconds: what came before the wait for the answer.
  package internal(set) var setupMilliseconds: Double?
  /// From the request's last byte to the answer's first, in milliseconds.
  package internal(set) var waitMilliseconds: Double?
  /// The bytes of the request's body.
  package internal(set) var requestBytes: Int
  /// The bytes of the response's body on the wire.
  package internal(set) var responseBytes: Int?
  /// Where the answer came from.
  package internal(set) var source: Source
  /// The fault that acted.
  package internal(set) var faultID: String?
  /// Whether it stays when older rows give way to later ones.
  package internal(set) var isPinned = false
  /// Whether anything was taken out of it: of the address, headers, bodies or the error.
  package internal(set) var isRedacted = false

  private enum CodingKeys: String, CodingKey {
    case id, seq, rev, flow, method, path, endpoint, attempt, status, state, error, source
    case callID = "call_id"
    case parentID = "parent_id"
    case flowID = "flow_id"
    case startedAt = "started_at"
    case durationMilliseconds = "duration_ms"
    case setupMilliseconds = "setup_ms"
    case waitMilliseconds = "wait_ms"
    case requestBytes = "request_bytes"
    case responseBytes = "response_bytes"
    case faultID = "fault_id"
    case isPinned = "is_pinned"
    case isRedacted = "is_redacted"
  }
}
