import RPC

/// Error codes of other backends that mean the same as one of `BackendErrorCode`, and so decide like it.
enum ForeignErrorCode {
  /// One line a code: the product that documents it, the code, and what it means.
  private static let table: [(product: String, code: String, meaning: String)] = [
    ("GoTrue", "bad_jwt", BackendErrorCode.invalidToken),
    ("GoTrue", "otp_expired", BackendErrorCode.loginCodeInvalid),
    ("GoTrue", "over_request_rate_limit", BackendErrorCode.tooManyAttempts),
    ("GoTrue", "over_email_send_rate_limit", BackendErrorCode.tooManyAttempts),
    ("GoTrue", "over_sms_send_rate_limit", BackendErrorCode.tooManyAttempts),
    ("GoTrue", "user_banned", BackendErrorCode.forbidden),
    ("Cognito", "CodeMismatchException", BackendErrorCode.loginCodeInvalid),
    ("Cognito", "ExpiredCodeException", BackendErrorCode.loginCodeInvalid),
    ("Cognito", "TooManyRequestsException", BackendErrorCode.tooManyAttempts),
    ("Cognito", "TooManyFailedAttemptsException", BackendErrorCode.tooManyAttempts),
    ("Cognito", "LimitExceededException", BackendErrorCode.tooManyAttempts),
    ("Firebase", "INVALID_ID_TOKEN", BackendErrorCode.invalidToken),
    ("Firebase", "INVALID_CODE", BackendErrorCode.loginCodeInvalid),
    ("Firebase", "INVALID_OOB_CODE", BackendErrorCode.loginLinkInvalid),
    ("Firebase", "EXPIRED_OOB_CODE", BackendErrorCode.loginLinkInvalid),
    ("Firebase", "TOO_MANY_ATTEMPTS_TRY_LATER", BackendErrorCode.tooManyAttempts),
    ("Firebase", "USER_DISABLED", BackendErrorCode.forbidden),
    ("Okta", "E0000011", BackendErrorCode.invalidToken),
    ("Okta", "E0000047", BackendErrorCode.tooManyAttempts),
    ("Matrix", "M_UNKNOWN_TOKEN", BackendErrorCode.invalidToken),
    ("Matrix", "M_LIMIT_EXCEEDED", BackendErrorCode.tooManyAttempts),
    ("Django REST framework", "token_not_valid", BackendErrorCode.invalidToken),
    ("Django REST framework", "throttled", BackendErrorCode.tooManyAttempts),
    ("allauth", "incorrect_code", BackendErrorCode.loginCodeInvalid),
    ("RFC 6749", "temporarily_unavailable", BackendErrorCode.unavailable),
    ("RFC 8628", "slow_down", BackendErrorCode.tooManyAttempts),
  ]

  /// Those that say it of the refresh token, if a refresh is answered with them; of a call they may speak of the access token.
  private static let refreshTable: [(product: String, code: String, meaning: String)] = [
    ("GoTrue", "refresh_token_not_found", BackendErrorCode.refreshTokenExpired),
    ("GoTrue", "refresh_token_already_used", BackendErrorCode.refreshTokenReused),
    ("GoTrue", "session_not_found", BackendErrorCode.refreshTokenExpired),
    ("GoTrue", "session_expired", BackendErrorCode.refreshTokenExpired),
    ("Firebase", "TOKEN_EXPIRED", BackendErrorCode.refreshTokenExpired),
    ("Firebase", "INVALID_REFRESH_TOKEN", BackendErrorCode.refreshTokenExpired),
    ("Kratos", "session_inactive", BackendErrorCode.refreshTokenExpired),
  ]

  private static let meanings = Dictionary(table.map { (BackendError.folded($0.code), $0.meaning) }) { first, _ in first }

  private static let refreshMeanings = Dictionary(refreshTable.map { (BackendError.folded($0.code), $0.meaning) }) { first, _ in
    first
  }

  /// The code of `BackendErrorCode` that a code of another backend means, in any spelling; nil for all others.
  static func meaning(of code: String) -> String? { meanings[BackendError.folded(code)] }

  /// The same for the answer to a refresh.
  static func meaning(onRefresh code: String) -> String? { refreshMeanings[BackendError.folded(code)] ?? meaning(of: code) }
}
