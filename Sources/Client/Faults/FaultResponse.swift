import FoundationEssentials
import HTTPTypes
import JSON
import RPC
import Text

/// An answer that no backend gave, in the shape in which it gives its errors (contract §3).
package struct FaultResponse: Hashable, Sendable {
  package let status: Int
  package let code: String
  /// Goes out as `Retry-After`.
  package let retryAfterSeconds: Int?

  /// Makes an answer of its parts.
  package init(status: Int, code: String, retryAfterSeconds: Int? = nil) {
    self.status = status
    self.code = code
    self.retryAfterSeconds = retryAfterSeconds
  }

  /// What a rule of kind `status` or `rate_limit` answers.
  init(_ action: FaultRule.Action, status: Int? = nil, retryAfterSeconds: Int? = nil) {
    let status = status ?? action.status ?? 503
    self.init(
      status: status, code: action.code ?? Self.code(of: status),
      retryAfterSeconds: retryAfterSeconds ?? action.retryAfterSeconds)
  }

  static let accessTokenExpired = FaultResponse(status: 401, code: BackendErrorCode.accessTokenExpired)
  static let deviceNotRegistered = FaultResponse(status: 401, code: BackendErrorCode.deviceNotRegistered)

  /// What the refresh call of a revoked token is answered; a backend may say so in other words.
  static func refreshTokenRevoked(code: String?) -> FaultResponse {
    FaultResponse(status: 401, code: code ?? BackendErrorCode.invalidToken)
  }

  /// The code that the backend sends with a status.
  static func code(of status: Int) -> String {
    switch status {
    case 401: BackendErrorCode.invalidToken
    case 403: BackendErrorCode.forbidden
    case 404: BackendErrorCode.notFound
    case 405: BackendErrorCode.methodNotAllowed
    case 409: BackendErrorCode.conflict
    case 413: BackendErrorCode.payloadTooLarge
    case 415: BackendErrorCode.unsupportedMediaType
    case 429: BackendErrorCode.tooManyAttempts
    case 502...504: BackendErrorCode.unavailable
    case 500...: BackendErrorCode.internal
    default: BackendErrorCode.invalidRequest
    }
  }

  /// The response as it would come off the wire; `wall` is the true instant, in unix seconds.
  func response(requestID: String?, wall: Int64) -> TransportResponse {
    var headers: HTTPFields = [.contentType: "application/json", .date: HTTPDate.format(wall)]
    if let requestID { headers[.requestID] = requestID }
    if let retryAfterSeconds { headers[.retryAfter] = String(retryAfterSeconds) }
    let body = BackendErrorBody(code: code, message: "A fault rule of the console answered.", requestID: requestID)
    return TransportResponse(status: status, headers: headers, body: (try? JSONCoding.encode(body)) ?? [])
  }
}
