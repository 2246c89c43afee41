import HTTPTypes
import RPC

/// A refusal in the contract's terms: a status, a stable code and a sentence that tells nothing secret.
struct BackendFailure: Error, Equatable, Sendable {
  let status: HTTPResponse.Status
  let code: String
  let message: String
  /// Whole seconds after which the same call works.
  var retryAfter: Int?
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
  static let invalidIdentifier = BackendFailure(
    .badRequest, BackendErrorCode.invalidIdentifier, "The identifier is neither an e-mail address nor an international phone number.")
  static let accessTokenExpired = BackendFailure(
    .unauthorized, BackendErrorCode.accessTokenExpired, "The access token has expired.")
  static let refreshTokenExpired = BackendFailure(
    .unauthorized, BackendErrorCode.refreshTokenExpired, "The refresh token has expired.")
  static let deviceNotRegistered = BackendFailure(
    .unauthorized, BackendErrorCode.deviceNotRegistered, "The session belongs to another device.")
  static let invalidToken = BackendFailure(.unauthorized, BackendErrorCode.invalidToken, "The token is not valid.")
  static let refreshTokenReused = BackendFailure(
    .unauthorized, BackendErrorCode.refreshTokenReused, "The refresh token was used before; the session is over.")
  static let loginLinkInvalid = BackendFailure(
    .unauthorized, BackendErrorCode.loginLinkInvalid, "The link is not valid, was used, or has expired.")
  static let loginCodeInvalid = BackendFailure(
    .unauthorized, BackendErrorCode.loginCodeInvalid, "The code is not valid, was used, or has expired.")
  static let invalidSignature = BackendFailure(
    .unauthorized, BackendErrorCode.invalidSignature, "The signature is missing, wrong, or too far from the server's time.")
  static let notFound = BackendFailure(.notFound, BackendErrorCode.notFound, "There is no such call.")
  static let payloadTooLarge = BackendFailure(
    .contentTooLarge, BackendErrorCode.payloadTooLarge, "The body is larger than 1 MiB.")
  static let unsupportedMediaType = BackendFailure(
    .unsupportedMediaType, BackendErrorCode.unsupportedMediaType, "The body must be application/json.")
  static let `internal` = BackendFailure(.internalServerError, BackendErrorCode.internal, "The call failed.")
  static let unavailable = BackendFailure(
    .serviceUnavailable, BackendErrorCode.unavailable, "The call cannot be served now.", retryAfter: 1)

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
