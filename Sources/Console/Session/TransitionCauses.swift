import Domain
import Observability
import RPC

/// The rows that may be behind a session's next transition: a value that takes rows and names one when asked.
struct TransitionCauses: Hashable, Sendable {
  /// The name of the refresh call in the log.
  static let refreshEndpoint = AuthEndpoints.RefreshTokens.name
  private static let loginEndpoints: Set = [AuthEndpoints.LoginWithMagicToken.name, AuthEndpoints.LoginWithCode.name]
  private static let deletionEndpoint = AccountEndpoints.RequestDeletion.name

  private var login: String?
  private var refresh: String?
  private var deletion: String?
  /// The latest refusal of a call that is neither login nor refresh.
  private var refusal: String?
  /// The row that the latest refresh was made for, until a transition takes it.
  private var refreshParent: String?
  private var refreshCall: String?

  /// Hears of a row at each of its changes.
  mutating func note(_ row: NetworkRow) {
    if row.endpoint == Self.refreshEndpoint {
      refresh = row.id
      // Once a call: the attempt that follows a lost connection was made for the same row.
      if refreshCall != row.callID { refreshParent = row.parentID }
      refreshCall = row.callID
      return
    }
    guard row.state.isFinal else { return }
    if Self.loginEndpoints.contains(row.endpoint) { return login = row.id }
    if row.endpoint == Self.deletionEndpoint { deletion = row.id }
    if row.status == 401 { refusal = row.id }
  }

  /// The row that the refresh was made for, given once.
  mutating func takeRefreshParent() -> String? {
    defer { refreshParent = nil }
    return refreshParent
  }

  /// The row behind a transition; nil where none is, or none is known.
  mutating func row(from: SessionState.Phase, to: SessionState.Phase, reason: String?) -> String? {
    switch (from, to) {
    case (_, .refreshing): return takeRefreshParent()
    case (.signedOut, .authenticated): return login
    case (_, .authenticated), (_, .error): return from == .refreshing ? refresh : nil
    case (_, .signedOut):
      switch reason.flatMap(LogoutReason.init(rawValue:)) {
      case .accountDeletion: return deletion
      case .refreshTokenExpired, .refreshTokenReused, .deviceNotRegistered, .invalidToken, .accessTokenRejected:
        return from == .refreshing ? refresh : refusal
      case .user, .vaultDamaged, nil: return nil
      }
    }
  }
}
