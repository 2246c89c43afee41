package import Domain
import RPC

/// What a 401 means, decided by the backend's error code alone (seed-rules C-17 to C-22).
package enum UnauthorizedRules {
  /// What an authenticated call does after a 401.
  package enum Step: Hashable, Sendable {
    /// Get a new token and send once more.
    case refreshAndReplay
    /// The session is over.
    case logout(LogoutReason)
    /// An error of this call only.
    case fail(NetworkError)
  }

  /// The step after a 401 with `code`; `isReplay` is true if the call was sent with a new token already.
  package static func step(code: String?, isReplay: Bool) -> Step {
    switch code {
    case BackendErrorCode.refreshTokenExpired: .logout(.refreshTokenExpired)
    case BackendErrorCode.deviceNotRegistered: .logout(.deviceNotRegistered)
    case BackendErrorCode.invalidSignature: .fail(.signatureRejected)
    case BackendErrorCode.loginLinkInvalid, BackendErrorCode.loginCodeInvalid: .fail(.rejected(status: 401, code: code))
    case BackendErrorCode.accessTokenExpired where isReplay: .logout(.accessTokenRejected)
    case BackendErrorCode.invalidToken where isReplay: .logout(.invalidToken)
    default: isReplay ? .fail(.unauthorized) : .refreshAndReplay
    }
  }

  /// Whether the code rejects the access token itself, so that other calls cannot use it either.
  package static func rejectsAccessToken(code: String?) -> Bool {
    code == BackendErrorCode.accessTokenExpired || code == BackendErrorCode.invalidToken
  }

  /// The reason to end the session after the refresh call failed with `error`; nil if the session stays.
  package static func logoutReason(onRefresh error: NetworkError) -> LogoutReason? {
    guard case .rejected(401, let code) = error else { return nil }
    return switch code {
    case BackendErrorCode.refreshTokenExpired: .refreshTokenExpired
    case BackendErrorCode.deviceNotRegistered: .deviceNotRegistered
    case BackendErrorCode.refreshTokenReused: .refreshTokenReused
    case BackendErrorCode.invalidToken: .invalidToken
    default: nil
    }
  }

  /// Whether the backend rejected the refresh token, whatever its code, as opposed to a rate limit, a server error or a network
  /// failure.
  package static func isRefusal(ofRefresh error: NetworkError) -> Bool {
    switch error {
    case .unauthorized, .forbidden, .rejected: true
    default: false
    }
  }
}
