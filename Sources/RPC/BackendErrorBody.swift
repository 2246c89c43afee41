/// An error of the backend: `{"error":{"code", "message", "request_id", "details"?}}`.
package struct BackendErrorBody: Codable, Hashable, Sendable {
  /// The object under `error`.
  package struct Detail: Codable, Hashable, Sendable {
    package let code: String
    package let message: String
    package let requestID: String?
    package let details: Details?
    package init(code: String, message: String, requestID: String?, details: Details? = nil) {
      self.code = code
      self.message = message
      self.requestID = requestID
      self.details = details
    }
    enum CodingKeys: String, CodingKey {
      case code, message, details
      case requestID = "request_id"
    }
  }

  /// What comes with a code; unknown members, and a cue in another shape, are ignored.
  package struct Details: Codable, Hashable, Sendable {
    /// The cue as the backend has it, with `conflict`.
    package let cue: CueBody?
    package init(cue: CueBody?) { self.cue = cue }

    /// An error must be readable whatever its details are, so nothing here throws.
    package init(from decoder: any Decoder) throws {
      cue = try? decoder.container(keyedBy: CodingKeys.self).decodeIfPresent(CueBody.self, forKey: .cue)
    }

    enum CodingKeys: String, CodingKey { case cue }
  }

  package let error: Detail

  package init(code: String, message: String, requestID: String?, details: Details? = nil) {
    error = Detail(code: code, message: message, requestID: requestID, details: details)
  }
}

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
  package static let unavailable = "unavailable"
}
