package import Domain
import RPC

/// The effect of a rejected call or refresh on the session (seed-rules N-22 "refresh fails", C-17 to C-22 "(401)").
package enum UnauthorizedRules {
  /// An authenticated call's step after a 401.
  package enum Step: Hashable, Sendable {
    /// Get a new token and send once more.
    case refreshAndReplay
    /// The session is over.
    case logout(LogoutReason)
    /// An error of this call only.
    case fail(NetworkError)
  }

  /// Whether an error response is handled as a 401: by its status, or by a code of the session with another 4xx.
  package static func applies(status: Int, code: String?) -> Bool {
    switch (status, code) {
    case (401, _): true
    case (400...499, BackendErrorCode.accessTokenExpired), (400...499, BackendErrorCode.invalidToken),
      (400...499, BackendErrorCode.refreshTokenExpired), (400...499, BackendErrorCode.deviceNotRegistered):
      true
    default: false
    }
  }

  /// The step after a 401 with `code`; `isReplay` is true if the call was sent with a new token already.
  package static func step(code: String?, isReplay: Bool) -> Step {
    switch code {
    case BackendErrorCode.refreshTokenExpired: .logout(.refreshTokenExpired)
    case BackendErrorCode.deviceNotRegistered: .logout(.deviceNotRegistered)
    case BackendErrorCode.invalidSignature: .fail(.signatureRejected)
    case BackendErrorCode.loginLinkInvalid, BackendErrorCode.loginCodeInvalid: .fail(.rejected(status: 401, code: code))
    default: isReplay ? .logout(reasonAfterReplay(code: code)) : .refreshAndReplay
    }
  }

  private static func reasonAfterReplay(code: String?) -> LogoutReason {
    switch code {
    case BackendErrorCode.accessTokenExpired: .accessTokenRejected
    case BackendErrorCode.invalidToken: .invalidToken
    case BackendErrorCode.refreshTokenReused: .refreshTokenReused
    default: .unauthorized
    }
  }

  /// Whether the code rejects the access token itself, so that other calls cannot use it either.
  package static func rejectsAccessToken(code: String?) -> Bool {
    code == BackendErrorCode.accessTokenExpired || code == BackendErrorCode.invalidToken
  }

  /// Why a failed refresh ends the session; nil if it does not.
  ///
  /// A 401 ends it unless it is the page of a proxy (`isPage`), as do 400, 403, 410 and 422 whose body describes an error of the
  /// backend's own (`hasError`). All other responses do not concern the refresh token: a missing route, a rate limit, a timeout,
  /// a failing backend.
  package static func logoutReason(onRefresh status: Int, code: String?, hasError: Bool, isPage: Bool) -> LogoutReason? {
    switch (status, code) {
    case (_, BackendErrorCode.invalidSignature): return nil
    case (401, _) where !isPage: break
    // Codes count whatever the status, but a 401 is always final: this is a 429.
    case (_, BackendErrorCode.tooManyAttempts): return nil
    case (400, _), (403, _), (410, _), (422, _): if !hasError { return nil }
    default: return nil
    }
    return switch code {
    case BackendErrorCode.refreshTokenExpired: .refreshTokenExpired
    case BackendErrorCode.deviceNotRegistered: .deviceNotRegistered
    case BackendErrorCode.refreshTokenReused: .refreshTokenReused
    case BackendErrorCode.invalidToken: .invalidToken
    default: .refreshRefused
    }
  }
}
