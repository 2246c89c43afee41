package import HTTPTypes

/// An endpoint of the backend: its method and path, the JSON it exchanges, and how the client treats it (seed-rules N-1 "An
/// endpoint is a small value").
///
/// Properties that are the same for every call of an endpoint are static.
package protocol APIEndpoint: Sendable {
  /// The JSON of the request; `NoBody` if there is none.
  associatedtype RequestBody: Codable & Sendable
  /// The JSON of the response; `NoBody` if there is none.
  associatedtype ResponseBody: Codable & Sendable

  /// The name in the network log: the last segment of the path.
  static var name: String { get }
  /// The path as it is sent, without a query.
  static var path: String { get }
  static var method: HTTPRequest.Method { get }
  /// Whether the request carries the session's access token.
  static var requiresAuth: Bool { get }
  /// How long a call may take.
  static var timeout: EndpointTimeout { get }
  static var idempotencyKey: IdempotencyKeyStrategy { get }
  /// Whether the client's HTTP cache may store the response.
  static var isCacheable: Bool { get }
  /// The largest response that the client accepts, in bytes; nil for the transport's limit.
  static var answerLimit: Int? { get }
  /// Which bodies the network log may store, after redaction (seed-rules N-88 "A body is logged only").
  static var loggableBodies: LoggableBodies { get }

  /// The query parameters in order, not yet percent-encoded.
  var query: [(name: String, value: String)] { get }
}

extension APIEndpoint {
  package static var name: String {
    // Read for every call: splitting the whole path would take a microsecond.
    path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[path.utf8.index(after: $0)...]) } ?? path
  }
  package static var timeout: EndpointTimeout { .standard }
  package static var idempotencyKey: IdempotencyKeyStrategy { .none }
  package static var isCacheable: Bool { false }
  package static var answerLimit: Int? { nil }
  package static var loggableBodies: LoggableBodies { [] }
  package var query: [(name: String, value: String)] { [] }

  /// Whether the method is safe (RFC 9110 §9.2.1).
  package static var isSafe: Bool { method == .get || method == .head }
  /// Whether the client may retry a call: only if it is safe, or has an idempotency key and the backend supports keys (seed-rules
  /// N-80 "marked as safe").
  package static var isRetryable: Bool { isSafe || idempotencyKey == .perCall }
}

/// How long a call may take.
package struct EndpointTimeout: Hashable, Sendable {
  /// The longest time without a byte.
  package let idle: Duration
  /// The longest time in all: attempts, back-off and waiting for a token refresh.
  package let whole: Duration

  package init(idle: Duration, whole: Duration) {
    self.idle = idle
    self.whole = whole
  }

  /// 30 s without a byte, 60 s in all (seed-rules C-9 "after 30 s", C-10 "after 60 s").
  package static let standard = EndpointTimeout(idle: .seconds(30), whole: .seconds(60))
}

/// Where a call's `Idempotency-Key` comes from.
package enum IdempotencyKeyStrategy: Hashable, Sendable {
  /// The request has none.
  case none
  /// A UUID for each call, the same for all its attempts.
  case perCall
}

/// Which bodies of a call the network log may store.
package struct LoggableBodies: OptionSet, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let request = LoggableBodies(rawValue: 1)
  package static let response = LoggableBodies(rawValue: 2)
  /// The response with every value masked that is not known to be harmless; for responses that contain tokens.
  package static let maskedResponse = LoggableBodies(rawValue: 4)
}

/// The JSON of a response that contains no field the client requires, so that an empty body is acceptable.
package protocol DispensableBody {}

/// No body, or an empty JSON object.
package struct NoBody: Codable, Hashable, Sendable {
  package init() {}
}
