import Domain
import Observability
import RPC

/// Finds the network row that caused a transition of the session, from the rows seen before it.
struct TransitionCauses: Hashable, Sendable {
  /// The endpoint of the refresh call in the log.
  static let refreshEndpoint = AuthEndpoints.RefreshTokens.name
  private static let loginEndpoints: Set = [AuthEndpoints.LoginWithMagicToken.name, AuthEndpoints.LoginWithCode.name]
  private static let deletionEndpoint = AccountEndpoints.RequestDeletion.name

  private var login: String?
  private var refresh: String?
  private var deletion: String?
  /// The latest 401 of a call that is neither login nor refresh.
  private var unauthorized: String?
  /// The row that caused the latest refresh, until a transition takes it.
  private var refreshParent: String?
  private var refreshCall: String?

  /// Notes a row, after each of its changes.
  mutating func note(_ row: NetworkRow) {
    if row.endpoint == Self.refreshEndpoint {
      refresh = row.id
      // Once per call: a retry has the same cause.
      if refreshCall != row.callID { refreshParent = row.parentID }
      refreshCall = row.callID
      return
    }
    guard row.state.isFinal else { return }
    if Self.loginEndpoints.contains(row.endpoint) { return login = row.id }
    if row.endpoint == Self.deletionEndpoint { deletion = row.id }
    if row.status == 401 { unauthorized = row.id }
  }

  /// Returns the row that caused the refresh, once.
  mutating func takeRefreshParent() -> String? {
    defer { refreshParent = nil }
    return refreshParent
  }

  /// The row that caused a transition; nil if there is none or it is unknown.
  mutating func row(from: SessionState.Phase, to: SessionState.Phase, reason: String?) -> String? {
    switch (from, to) {
    case (_, .refreshing): return takeRefreshParent()
    case (.signedOut, .authenticated): return login
    case (_, .authenticated), (_, .error): return from == .refreshing ? refresh : nil
    case (_, .signedOut):
      switch reason.flatMap(LogoutReason.init(rawValue:)) {
      case .accountDeletion: return deletion
      case .refreshTokenExpired, .refreshTokenReused, .deviceNotRegistered, .invalidToken, .accessTokenRejected, .unauthorized,
        .refreshRefused:
        return from == .refreshing ? refresh : unauthorized
      case .user, .vaultDamaged, nil: return nil
      }
    }
  }
}
