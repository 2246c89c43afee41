/// A backend's error: `{"error":{"code", "message", "request_id", "details"?}}` (contract §3).
package struct BackendErrorBody: Codable, Hashable, Sendable {
  /// What stands under `error`.
  package struct Detail: Codable, Hashable, Sendable {
    package let code: String
    package let message: String
    package let requestID: String?
    package let details: Details?
    /// Makes the body of its parts.
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

  /// What a code tells besides; a backend's own additions, and a cue that is none of ours, are passed over.
  package struct Details: Codable, Hashable, Sendable {
    /// The server's cue, of a `conflict`.
    package let cue: CueBody?
    /// Makes the details of a conflict.
    package init(cue: CueBody?) { self.cue = cue }

    /// Reads leniently: an error must stay readable whatever stands in its details.
    package init(from decoder: any Decoder) throws {
      cue = try? decoder.container(keyedBy: CodingKeys.self).decodeIfPresent(CueBody.self, forKey: .cue)
    }

    enum CodingKeys: String, CodingKey { case cue }
  }

  package let error: Detail

  /// Makes the body of a code from `BackendErrorCode`, a sentence and the call's request id.
  package init(code: String, message: String, requestID: String?, details: Details? = nil) {
    error = Detail(code: code, message: message, requestID: requestID, details: details)
  }
}

/// The stable error codes of the backend (contract §3).
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

/// The header fields that the backend and its clients speak (contract §3).
package enum BackendHeader {
  package static let requestID = "X-Request-ID"
  package static let deviceID = "X-Device-ID"
  package static let idempotencyKey = "Idempotency-Key"
  package static let apiID = "X-Api-Id"
  package static let nonce = "X-Nonce"
  package static let signature = "X-Signature"
}
