import HTTPTypes
import RPC

/// An error response: a status, a stable code and a message without secrets.
struct BackendFailure: Error, Equatable, Sendable {
  let status: HTTPResponse.Status
  /// One of `BackendErrorCode`.
  let code: String
  /// A message for developers.
  let message: String
  /// The seconds after which the same call will succeed.
  var retryAfter: Int?
  /// The current cue, if the caller's copy is out of date.
  var cue: CueBody?
  /// The methods that the path supports, for `Allow`.
  var allow: [HTTPRequest.Method] = []

  private init(_ status: HTTPResponse.Status, _ code: String, _ message: String, retryAfter: Int? = nil) {
    self.status = status
    self.code = code
    self.message = message
    self.retryAfter = retryAfter
  }

  /// 400; the message describes the error.
  static func invalidRequest(_ message: String) -> BackendFailure {
    BackendFailure(.badRequest, BackendErrorCode.invalidRequest, message)
  }
  /// A request that is not valid HTTP; the status depends on the fault.
  static func malformed(_ status: HTTPResponse.Status) -> BackendFailure {
    BackendFailure(status, BackendErrorCode.invalidRequest, "The request is not valid HTTP.")
  }
  /// 400: neither an email address nor a phone number.
  static let invalidIdentifier = BackendFailure(
    .badRequest, BackendErrorCode.invalidIdentifier,
    "The identifier is neither an email address nor an international phone number.")
  /// 401: the client should refresh and retry.
  static let accessTokenExpired = BackendFailure(
    .unauthorized, BackendErrorCode.accessTokenExpired, "The access token has expired.")
  /// 401: the user must sign in again.
  static let refreshTokenExpired = BackendFailure(
    .unauthorized, BackendErrorCode.refreshTokenExpired, "The refresh token has expired.")
  /// 401: no device, or not the session's.
  static let deviceNotRegistered = BackendFailure(
    .unauthorized, BackendErrorCode.deviceNotRegistered, "The session belongs to another device.")
  /// 401: unknown, or the session has ended.
  static let invalidToken = BackendFailure(.unauthorized, BackendErrorCode.invalidToken, "The token is not valid.")
  /// 401: a spent refresh token was presented, so its session has ended.
  static let refreshTokenReused = BackendFailure(
    .unauthorized, BackendErrorCode.refreshTokenReused, "The refresh token was already used; the session has ended.")
  /// 401: the same for unknown, used, replaced and expired links.
  static let loginLinkInvalid = BackendFailure(
    .unauthorized, BackendErrorCode.loginLinkInvalid, "The link is invalid, was already used, or has expired.")
  /// 401: the same for wrong, used, replaced and expired codes, and for unknown identifiers.
  static let loginCodeInvalid = BackendFailure(
    .unauthorized, BackendErrorCode.loginCodeInvalid, "The code is invalid, was already used, or has expired.")
  /// 401: a signature is required, and this one is not accepted.
  static let invalidSignature = BackendFailure(
    .unauthorized, BackendErrorCode.invalidSignature,
    "The signature is missing, wrong, already used, or too far from the server's time.")
  /// 403: the request comes from a page in a browser, or for a host name that is not the backend's.
  static let forbidden = BackendFailure(
    .forbidden, BackendErrorCode.forbidden, "The request comes from a web page, or for a host name that is not this backend's.")
  /// 404: unknown path.
  static let notFound = BackendFailure(.notFound, BackendErrorCode.notFound, "There is no such path.")
  /// 413: the body is over the limit.
  static let payloadTooLarge = BackendFailure(
    .contentTooLarge, BackendErrorCode.payloadTooLarge, "The body is larger than 1 MiB.")
  /// 415: the body is not JSON.
  static let unsupportedMediaType = BackendFailure(
    .unsupportedMediaType, BackendErrorCode.unsupportedMediaType, "The body must be application/json.")
  /// 500, without details.
  static let `internal` = BackendFailure(.internalServerError, BackendErrorCode.internal, "The call failed.")
  /// 503: the database cannot be used at the moment.
  static let unavailable = BackendFailure(
    .serviceUnavailable, BackendErrorCode.unavailable, "The call cannot be served at the moment.", retryAfter: 1)

  /// 501: the backend's recording does not contain the call.
  static func notRecorded(_ method: HTTPRequest.Method, _ path: String, _ reason: String = "is not in the recording")
    -> BackendFailure
  {
    BackendFailure(.notImplemented, BackendErrorCode.notRecorded, "\(method.rawValue) \(path.prefix(200)) \(reason).")
  }

  /// 404: no such account, or not the caller's.
  static let accountNotFound = BackendFailure(.notFound, BackendErrorCode.notFound, "There is no such account.")
  /// 404: no such profile, or not the caller's.
  static let profileNotFound = BackendFailure(.notFound, BackendErrorCode.profileNotFound, "There is no such profile.")
  /// 404: no such cue, or not the caller's.
  static let cueNotFound = BackendFailure(.notFound, BackendErrorCode.cueNotFound, "There is no such cue.")
  /// 409: the key was used with a different body.
  static let idempotencyMismatch = BackendFailure(
    .conflict, BackendErrorCode.idempotencyMismatch, "The Idempotency-Key was used with a different body.")

  /// 409, with the current cue.
  static func conflict(_ cue: CueBody) -> BackendFailure {
    var failure = BackendFailure(.conflict, BackendErrorCode.conflict, "The cue was changed in the meantime.")
    failure.cue = cue
    return failure
  }

  /// 405, with the methods that the path supports.
  static func methodNotAllowed(_ allow: [HTTPRequest.Method]) -> BackendFailure {
    var failure = BackendFailure(.methodNotAllowed, BackendErrorCode.methodNotAllowed, "The path does not support this method.")
    failure.allow = allow
    return failure
  }

  /// 429, with the seconds after which the call will succeed.
  static func tooManyAttempts(retryAfter: Int) -> BackendFailure {
    BackendFailure(
      .tooManyRequests, BackendErrorCode.tooManyAttempts, "Too many messages were requested; try again later.",
      retryAfter: max(1, retryAfter))
  }
}
