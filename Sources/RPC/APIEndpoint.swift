package import HTTPTypes

/// One call of the backend: what it is named, where it lies and how the client treats it (seed 000 §1.1).
///
/// Everything that does not differ between two calls of the same endpoint is static, so that the type says it.
package protocol APIEndpoint: Sendable {
  /// The JSON that is sent; `NoBody` where none is.
  associatedtype RequestBody: Encodable & Sendable
  /// The JSON that comes back; `NoBody` where none does.
  associatedtype ResponseBody: Decodable & Sendable

  /// What the network log calls it: the last part of the path.
  static var name: String { get }
  /// The path on the wire, origin-form, without a query.
  static var path: String { get }
  static var method: HTTPRequest.Method { get }
  /// Whether the call carries the session's access token.
  static var requiresAuth: Bool { get }
  /// How long the call may take.
  static var timeout: EndpointTimeout { get }
  static var idempotencyKey: IdempotencyKeyStrategy { get }
  /// Whether the answer may be kept by the client's HTTP cache.
  static var isCacheable: Bool { get }
  /// The largest answer that is taken, in bytes; nil for the transport's own limit.
  static var answerLimit: Int? { get }
  /// Which bodies may be kept in the network log, after redaction (seed 000 §7).
  static var loggableBodies: LoggableBodies { get }

  /// The query, in order, before encoding.
  var query: [(name: String, value: String)] { get }
}

extension APIEndpoint {
  package static var name: String {
    // A call asks for it; a list of all segments would be a microsecond of it.
    path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[path.utf8.index(after: $0)...]) } ?? path
  }
  package static var timeout: EndpointTimeout { .standard }
  package static var idempotencyKey: IdempotencyKeyStrategy { .none }
  package static var isCacheable: Bool { false }
  package static var answerLimit: Int? { nil }
  package static var loggableBodies: LoggableBodies { [] }
  package var query: [(name: String, value: String)] { [] }

  /// Whether the method promises to change nothing (RFC 9110 §9.2.1).
  package static var isSafe: Bool { method == .get || method == .head }
  /// Whether the client may send the call again by itself: safe ones and keyed ones (seed 000 §6.2).
  package static var isRetryable: Bool { isSafe || idempotencyKey == .perCall }
}

/// How long a call may take (seed 004: 30 s and 60 s).
package struct EndpointTimeout: Hashable, Sendable {
  /// Time without a byte.
  package let idle: Duration
  /// Time for everything: attempts, back-off and waiting for a refresh.
  package let whole: Duration

  /// Makes a timeout of its two limits.
  package init(idle: Duration, whole: Duration) {
    self.idle = idle
    self.whole = whole
  }

  /// The seed's pair.
  package static let standard = EndpointTimeout(idle: .seconds(30), whole: .seconds(60))
}

/// Where a call's `Idempotency-Key` comes from.
package enum IdempotencyKeyStrategy: Hashable, Sendable {
  /// The call carries none.
  case none
  /// One UUID a call, the same for every attempt of it.
  case perCall
}

/// Which of a call's bodies are marked safe to be kept in the network log.
package struct LoggableBodies: OptionSet, Hashable, Sendable {
  package let rawValue: UInt8

  /// Makes a set of its bits.
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let request = LoggableBodies(rawValue: 1)
  package static let response = LoggableBodies(rawValue: 2)
}

/// A body that is not there, or the empty object.
package struct NoBody: Codable, Hashable, Sendable {
  /// Makes the empty body.
  package init() {}
}
