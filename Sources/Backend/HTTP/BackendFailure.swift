import HTTPTypes
import RPC

/// A refusal in the contract's terms: a status, a stable code and a sentence that tells nothing secret.
struct BackendFailure: Error, Equatable, Sendable {
  /// The status.
  let status: HTTPResponse.Status
  /// One of `BackendErrorCode`.
  let code: String
  /// A sentence for developers.
  let message: String
  /// Whole seconds after which the same call works.
  var retryAfter: Int?
  /// The server's cue, where the caller's has fallen behind.
  var cue: CueBody?
  /// The methods that the path has, for `Allow`.
  var allow: [HTTPRequest.Method] = []

  private init(_ status: HTTPResponse.Status, _ code: String, _ message: String, retryAfter: Int? = nil) {
    self.status = status
    self.code = code
    self.message = message
    self.retryAfter = retryAfter
  }

  /// 400, with what is wrong.
  static func invalidRequest(_ message: String) -> BackendFailure {
    BackendFailure(.badRequest, BackendErrorCode.invalidRequest, message)
  }
  /// A request that breaks HTTP, by the status that says how.
  static func broken(_ status: HTTPResponse.Status) -> BackendFailure {
    BackendFailure(status, BackendErrorCode.invalidRequest, "The request cannot be read.")
  }
  /// 400: neither address nor number.
  static let invalidIdentifier = BackendFailure(
    .badRequest, BackendErrorCode.invalidIdentifier,
    "The identifier is neither an e-mail address nor an international phone number.")
  /// 401: refresh and send again.
  static let accessTokenExpired = BackendFailure(
    .unauthorized, BackendErrorCode.accessTokenExpired, "The access token has expired.")
  /// 401: sign in again.
  static let refreshTokenExpired = BackendFailure(
    .unauthorized, BackendErrorCode.refreshTokenExpired, "The refresh token has expired.")
  /// 401: another device than the session's, or none.
  static let deviceNotRegistered = BackendFailure(
    .unauthorized, BackendErrorCode.deviceNotRegistered, "The session belongs to another device.")
  /// 401: unknown, or of a session that is over.
  static let invalidToken = BackendFailure(.unauthorized, BackendErrorCode.invalidToken, "The token is not valid.")
  /// 401: the family has ended.
  static let refreshTokenReused = BackendFailure(
    .unauthorized, BackendErrorCode.refreshTokenReused, "The refresh token was used before; the session is over.")
  /// 401: unknown, used, replaced and expired links look alike.
  static let loginLinkInvalid = BackendFailure(
    .unauthorized, BackendErrorCode.loginLinkInvalid, "The link is not valid, was used, or has expired.")
  /// 401: wrong, used, replaced and expired codes look alike, and so do unknown identifiers.
  static let loginCodeInvalid = BackendFailure(
    .unauthorized, BackendErrorCode.loginCodeInvalid, "The code is not valid, was used, or has expired.")
  /// 401: the signature is demanded and not right.
  static let invalidSignature = BackendFailure(
    .unauthorized, BackendErrorCode.invalidSignature,
    "The signature is missing, wrong, used before, or too far from the server's time.")
  /// 403: a page in a browser asks, or somebody under a name that is not the backend's.
  static let forbidden = BackendFailure(
    .forbidden, BackendErrorCode.forbidden, "The call comes from a browser's page, or by a name that is not this backend's.")
  /// 404: no such path.
  static let notFound = BackendFailure(.notFound, BackendErrorCode.notFound, "There is no such call.")
  /// 413: over the body limit.
  static let payloadTooLarge = BackendFailure(
    .contentTooLarge, BackendErrorCode.payloadTooLarge, "The body is larger than 1 MiB.")
  /// 415: a body that is not JSON.
  static let unsupportedMediaType = BackendFailure(
    .unsupportedMediaType, BackendErrorCode.unsupportedMediaType, "The body must be application/json.")
  /// 500, of which nothing is told.
  static let `internal` = BackendFailure(.internalServerError, BackendErrorCode.internal, "The call failed.")
  /// 503: the database cannot be used now.
  static let unavailable = BackendFailure(
    .serviceUnavailable, BackendErrorCode.unavailable, "The call cannot be served now.", retryAfter: 1)

  /// 404: the account that was named is not the caller's, or nobody's.
  static let accountNotFound = BackendFailure(.notFound, BackendErrorCode.notFound, "There is no such account.")
  /// 404: no such profile, or another account's.
  static let profileNotFound = BackendFailure(.notFound, BackendErrorCode.profileNotFound, "There is no such profile.")
  /// 404: no such cue, or another account's.
  static let cueNotFound = BackendFailure(.notFound, BackendErrorCode.cueNotFound, "There is no such cue.")
  /// 409: the key was used for another body.
  static let idempotencyMismatch = BackendFailure(
    .conflict, BackendErrorCode.idempotencyMismatch, "The Idempotency-Key was used with another body.")

  /// 409, with the cue as it is now.
  static func conflict(_ cue: CueBody) -> BackendFailure {
    var failure = BackendFailure(.conflict, BackendErrorCode.conflict, "The cue was changed in the meantime.")
    failure.cue = cue
    return failure
  }

  /// 405, with the methods that the path has.
  static func methodNotAllowed(_ allow: [HTTPRequest.Method]) -> BackendFailure {
    var failure = BackendFailure(.methodNotAllowed, BackendErrorCode.methodNotAllowed, "The path has other methods.")
    failure.allow = allow
    return failure
  }

  /// 429, with the whole seconds after which the call works.
  static func tooManyAttempts(retryAfter: Int) -> BackendFailure {
    BackendFailure(
      .tooManyRequests, BackendErrorCode.tooManyAttempts, "A message was sent not long ago.", retryAfter: max(1, retryAfter))
  }
}
