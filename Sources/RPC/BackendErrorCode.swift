/// The error codes of the backend, which never change.
package enum BackendErrorCode {
  package static let invalidRequest = "invalid_request"
  package static let invalidIdentifier = "invalid_identifier"
  package static let forbidden = "forbidden"
  package static let notFound = "not_found"
  package static let profileNotFound = "profile_not_found"
  package static let cueNotFound = "cue_not_found"
  package static let accessTokenExpired = "ErrAccessTokenExpired"
  package static let refreshTokenExpired = "ErrRefreshTokenExpired"
  package static let deviceNotRegistered = "ErrDeviceNotRegistered"
  package static let invalidToken = "invalid_token"
  package static let refreshTokenReused = "refresh_token_reused"
  package static let loginLinkInvalid = "login_link_invalid"
  package static let loginCodeInvalid = "login_code_invalid"
  package static let invalidSignature = "invalid_signature"
  package static let methodNotAllowed = "method_not_allowed"
  package static let conflict = "conflict"
  package static let idempotencyMismatch = "idempotency_mismatch"
  package static let payloadTooLarge = "payload_too_large"
  package static let unsupportedMediaType = "unsupported_media_type"
  package static let tooManyAttempts = "too_many_attempts"
  package static let `internal` = "internal"
  /// Only of a backend that responds from a recording.
  package static let notRecorded = "not_recorded"
  package static let unavailable = "unavailable"

  /// Every code.
  package static let all = [
    invalidRequest, invalidIdentifier, forbidden, notFound, profileNotFound, cueNotFound, accessTokenExpired,
    refreshTokenExpired, deviceNotRegistered, invalidToken, refreshTokenReused, loginLinkInvalid, loginCodeInvalid,
    invalidSignature, methodNotAllowed, conflict, idempotencyMismatch, payloadTooLarge, unsupportedMediaType, tooManyAttempts,
    `internal`, unavailable,
  ]
}
