import HTTPTypes
import JSON
import RPC
import Server
import Text
import Vault
import Wire

/// The answer to a call, before it becomes an HTTP response.
struct Answer: Sendable {
  /// How an answer may be cached.
  enum Caching: Sendable {
    /// Never.
    case none
    /// By the client only, which must revalidate it before each use.
    case privateNoCache
    /// By anyone, for that many seconds.
    case maxAge(Int)

    /// The value of `Cache-Control` (RFC 9111 §5.2.2).
    var value: String {
      switch self {
      case .none: "no-store"
      case .privateNoCache: "private, no-cache"
      case .maxAge(let seconds): "max-age=\(seconds)"
      }
    }
  }

  let status: HTTPResponse.Status
  /// JSON; nil for an answer without a body.
  var body: [UInt8]?
  var caching = Caching.none
  /// The bytes that a weak ETag is made from, if part of the body changes with every answer; nil for a strong ETag of the body.
  var etagSource: [UInt8]?
  /// The header fields of a recorded answer, which replace those of the backend; nil for the backend's own answers.
  var recordedFields: HTTPFields?
  /// The events of the call; the audit log receives them after the commit.
  var events: [AuditEvent] = []

  static let noContent = Answer(status: .noContent)

  static func json(_ value: some Encodable, status: HTTPResponse.Status = .ok, caching: Caching = .none) throws -> Answer {
    Answer(status: status, body: try JSONCoding.encode(value), caching: caching)
  }

  /// Returns the response, with an ETag if it may be cached, or 304 if the caller's copy is current (RFC 9110 §13.1.2).
  func response(to head: CallHead) -> Response {
    if let recordedFields { return response(to: head, recorded: recordedFields) }
    var response = Response(status: status)
    if let body { response = .json(body, status: status) }
    response.headers[.requestID] = head.requestID
    response.headers[.cacheControl] = caching.value
    guard let body, caching.isCacheable else { return response }
    let digest = SHA256Digest.hash(etagSource ?? body)
    let tag = EntityTag(opaque: Base64URL.encode(Array(digest.prefix(16))), isWeak: etagSource != nil)
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

extension Answer {
  /// Returns a recorded answer, or 304 if the caller has it already.
  private func response(to head: CallHead, recorded fields: HTTPFields) -> Response {
    var response = Response(status: status, headers: fields, body: body.map { .bytes($0) } ?? .none)
    response.headers[.requestID] = head.requestID
    guard status == .ok, case .tags(let tags) = fields[.eTag].flatMap({ EntityTagCondition($0) }), let tag = tags.first,
      let condition = head.fields[.ifNoneMatch].flatMap({ EntityTagCondition($0) }), condition.matchesWeakly(tag)
    else { return response }
    response.status = .notModified
    response.headers[.contentType] = nil
    response.body = .none
    return response
  }
}

extension Answer.Caching {
  fileprivate var isCacheable: Bool {
    if case .none = self { false } else { true }
  }
}

extension BackendFailure {
  /// Returns the failure as JSON.
  func body(requestID: String) -> [UInt8] {
    let details = cue.map { BackendErrorBody.Details(cue: $0) }
    let body = BackendErrorBody(code: code, message: message, requestID: requestID, details: details)
    // Encoding strings and integers cannot fail; an empty object is at least valid JSON.
    return (try? JSONCoding.encode(body)) ?? Array("{}".utf8)
  }

  func response(to head: CallHead) -> Response {
    var response = Response.json(body(requestID: head.requestID), status: status)
    response.headers[.requestID] = head.requestID
    response.headers[.cacheControl] = Answer.Caching.none.value
    if let retryAfter { response.headers[.retryAfter] = String(retryAfter) }
    if !allow.isEmpty { response.headers[.allow] = allow.map(\.rawValue).joined(separator: ", ") }
    // RFC 9110 §15.5.2 requires a challenge with every 401.
    if status == .unauthorized { response.headers[.wwwAuthenticate] = "Bearer" }
    return response
  }
}
