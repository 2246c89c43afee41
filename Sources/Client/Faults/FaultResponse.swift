import FoundationEssentials
import HTTPTypes
import JSON
import RPC
import Text

/// A response that a fault rule creates, in the format of the backend's errors (`BackendErrorBody`).
package struct FaultResponse: Hashable, Sendable {
  package let status: Int
  package let code: String
  /// Sent as `Retry-After`.
  package let retryAfterSeconds: Int?
  package init(status: Int, code: String, retryAfterSeconds: Int? = nil) {
    self.status = status
    self.code = code
    self.retryAfterSeconds = retryAfterSeconds
  }

  /// The response of a rule of kind `status` or `rate_limit`.
  init(_ action: FaultRule.Action, status: Int? = nil, retryAfterSeconds: Int? = nil) {
    let status = status ?? action.status ?? 503
    self.init(
      status: status, code: action.code ?? Self.code(of: status),
      retryAfterSeconds: retryAfterSeconds ?? action.retryAfterSeconds)
  }

  static let accessTokenExpired = FaultResponse(status: 401, code: BackendErrorCode.accessTokenExpired)
  static let deviceNotRegistered = FaultResponse(status: 401, code: BackendErrorCode.deviceNotRegistered)

  /// The response to a refresh with a revoked token; `code` replaces the backend's usual code.
  static func refreshTokenRevoked(code: String?) -> FaultResponse {
    FaultResponse(status: 401, code: code ?? BackendErrorCode.invalidToken)
  }

  /// The code that the backend usually sends with a status.
  private static func code(of status: Int) -> String {
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

  /// The response as it would arrive; `wall` is the true instant, in Unix seconds.
  func response(requestID: String?, wall: Int64) -> TransportResponse {
    var headers: HTTPFields = [.contentType: "application/json", .date: HTTPDate.format(wall)]
    if let requestID { headers[.requestID] = requestID }
    if let retryAfterSeconds { headers[.retryAfter] = String(retryAfterSeconds) }
    let body = BackendErrorBody(
      code: code, message: "This response was made by a fault rule of the console.", requestID: requestID)
    return TransportResponse(status: status, headers: headers, body: (try? JSONCoding.encode(body)) ?? [])
  }
}
