import HTTPTypes
import OpenAPI
import RPC

/// The error responses, which the API description lists once and its operations refer to.
extension Operation.Response {
  static let badRequest = failure(
    .badRequest, "BadRequest", "The request is not valid for this call.",
    [BackendErrorCode.invalidRequest, BackendErrorCode.invalidIdentifier])
  static let unauthorized = failure(
    .unauthorized, "Unauthorized", "The session, code, link or signature is not valid.",
    [
      BackendErrorCode.accessTokenExpired, BackendErrorCode.refreshTokenExpired, BackendErrorCode.deviceNotRegistered,
      BackendErrorCode.invalidToken, BackendErrorCode.refreshTokenReused, BackendErrorCode.loginLinkInvalid,
      BackendErrorCode.loginCodeInvalid, BackendErrorCode.invalidSignature,
    ]
  ).with(Operation.Header("WWW-Authenticate"))
  static let forbidden = failure(
    .forbidden, "Forbidden", "The request comes from a web page, or for a host name that is not the backend's.",
    [BackendErrorCode.forbidden])
  static let notFound = failure(
    .notFound, "NotFound", "It does not exist, or belongs to another account.",
    [BackendErrorCode.notFound, BackendErrorCode.profileNotFound, BackendErrorCode.cueNotFound])
  static let conflict = failure(
    .conflict, "Conflict", "The cue was changed, or the key was used with a different body.",
    [BackendErrorCode.conflict, BackendErrorCode.idempotencyMismatch])
  static let payloadTooLarge = failure(
    .contentTooLarge, "PayloadTooLarge", "The body is larger than 1 MiB.", [BackendErrorCode.payloadTooLarge])
  static let unsupportedMediaType = failure(
    .unsupportedMediaType, "UnsupportedMediaType", "The body is not application/json.",
    [BackendErrorCode.unsupportedMediaType])
  static let tooManyAttempts = failure(
    .tooManyRequests, "TooManyAttempts", "The call succeeds after exactly Retry-After seconds.",
    [BackendErrorCode.tooManyAttempts]
  ).with(.retryAfter)
  static let unavailable = failure(
    .serviceUnavailable, "Unavailable", "The data cannot be used at the moment; nothing was changed.",
    [BackendErrorCode.unavailable]
  ).with(.retryAfter)

  private static func failure(
    _ status: HTTPResponse.Status, _ name: String, _ description: String, _ codes: [String]
  ) -> Operation.Response {
    .content(
      description, "application/json", Schema.error.narrowed(["error.code": .oneOf(codes)]), status: status
    ).named(name)
  }
}

extension Operation.Header {
  fileprivate static let retryAfter = Operation.Header("Retry-After", .integer.refined(by: .minimum(1)))
}

extension Schema {
  fileprivate static let error = Schema.recorded(from: BackendErrorBody.self)
    .refined(["error.message": .minimumLength(1), "error.request_id": .minimumLength(1)])
    .replacing(["error.details.cue": CueBody.schema])
    .requiring(["error.request_id", "error.details.cue"]).named("Error")
}
