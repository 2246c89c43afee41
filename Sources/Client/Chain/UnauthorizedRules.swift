package import Domain
import RPC

/// The contract's 401 table as functions: what a code means, told by the code alone.
package enum UnauthorizedRules {
  /// What a call of a session does after a 401.
  package enum Step: Hashable, Sendable {
    /// Get a new token, send again once.
    case refreshAndReplay
    /// The session is over.
    case logout(LogoutReason)
    /// An error of this call alone.
    case fail(NetworkError)
  }

  /// The step after a 401 with `code`; `isReplay` once the call was sent again with a new token.
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

  /// Whether the code speaks of the access token itself, so that it is of no use to any other call either.
  package static func rejectsAccessToken(code: String?) -> Bool {
    code == BackendErrorCode.accessTokenExpired || code == BackendErrorCode.invalidToken
  }

  /// Why the session is over after the refresh call failed with `error`; nil where it stays.
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

  /// Whether the refresh call failed because the backend does not want these tokens, whatever word it uses; not for its limits, its
  /// faults or the way to it.
  package static func isRefusal(ofRefresh error: NetworkError) -> Bool {
    switch error {
    case .unauthorized, .forbidden, .rejected: true
    default: false
    }
  }
}
