import HTTPTypes
import JSON
import RPC
import Server
import Text
import Vault
import Wire

/// What a call is answered with, before it becomes a response.
struct Answer: Sendable {
  /// Whether and how an answer may be kept.
  enum Caching: Sendable {
    /// Not at all.
    case none
    /// By its receiver alone, and only after asking (`/rpc/me`).
    case privateNoCache
    /// By anybody, for so many seconds.
    case maxAge(Int)

    /// The value of `Cache-Control`.
    var value: String {
      switch self {
      case .none: "no-store"
      case .privateNoCache: "private, no-cache"
      case .maxAge(let seconds): "max-age=\(seconds)"
      }
    }
  }

  /// The status.
  let status: HTTPResponse.Status
  /// JSON; nil for none.
  var body: [UInt8]?
  /// Whether it may be kept.
  var caching = Caching.none
  /// What a weak validator is made of where the body also tells the time; nil for a strong one of the whole body.
  var validated: [UInt8]?
  /// What the call did, for the audit log once it is committed.
  var events: [AuditEvent] = []

  /// An answer without a body.
  static let noContent = Answer(status: .noContent)

  /// JSON.
  static func json(_ value: some Encodable, status: HTTPResponse.Status = .ok, caching: Caching = .none) throws -> Answer {
    Answer(status: status, body: try JSONCoding.encode(value), caching: caching)
  }

  /// The response, with a validator where it may be kept, and 304 where the caller has it already.
  func response(to head: CallHead) -> Response {
    var response = Response(status: status)
    if let body { response = .json(body, status: status) }
    response.headers[.requestID] = head.requestID
    response.headers[.cacheControl] = caching.value
    guard let body, caching.isKept else { return response }
    let digest = SHA256Digest.hash(validated ?? body)
    let tag = EntityTag(opaque: Base64URL.encode(Array(digest.prefix(16))), isWeak: validated != nil)
    response.headers[.eTag] = tag.text
    guard let condition = head.fields[.ifNoneMatch].flatMap({ EntityTagCondition($0) }), condition.matchesWeakly(tag) else {
      return response
    }
    response.status = .notModified
    response.headers[.contentType] = nil
    response.body = .none
    return response
  }
}

extension Answer.Caching {
  /// Whether the answer carries a validator.
  fileprivate var isKept: Bool {
    if case .none = self { false } else { true }
  }
}

extension BackendFailure {
  /// The contract's JSON.
  func body(requestID: String) -> [UInt8] {
    let details = cue.map { BackendErrorBody.Details(cue: $0) }
    let body = BackendErrorBody(code: code, message: message, requestID: requestID, details: details)
    // Encoding strings and whole numbers cannot fail; an empty object is still JSON.
    return (try? JSONCoding.encode(body)) ?? Array("{}".utf8)
  }

  /// The response in the contract's shape.
  func response(to head: CallHead) -> Response {
    var response = Response.json(body(requestID: head.requestID), status: status)
    response.headers[.requestID] = head.requestID
    response.headers[.cacheControl] = Answer.Caching.none.value
    if let retryAfter { response.headers[.retryAfter] = String(retryAfter) }
    if !allow.isEmpty { response.headers[.allow] = allow.map(\.rawValue).joined(separator: ", ") }
    // RFC 9110 §15.5.2 wants a challenge with every 401.
    if status == .unauthorized { response.headers[.wwwAuthenticate] = "Bearer" }
    return response
  }
}
