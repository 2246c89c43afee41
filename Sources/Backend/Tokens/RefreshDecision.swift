import JSON

/// The state of a refresh token that a client presents.
struct PresentedRefreshToken: Sendable {
  /// Why its session ended; nil if it is active.
  var ended: SessionEnd?
  /// When the session expires, however often it is refreshed.
  var sessionExpiresAt: Timestamp
  /// When the token expires if it is not used.
  var expiresAt: Timestamp
  /// When it was exchanged; nil if it is the newest token of its session.
  var supersededAt: Timestamp?
  /// Whether it was exchanged for a pair whose refresh token is unused.
  var isSuccessorUnused: Bool
  /// Whether the request comes from the device of the session.
  var isFromItsDevice: Bool
}

/// What to do with a presented refresh token.
enum RefreshDecision: Equatable, Sendable {
  /// Exchange it for a new pair.
  case rotate
  /// Return the pair that it was exchanged for, since the first answer may have been lost.
  case repeatSuccessor
  /// End the session for good.
  case endSession
  /// Refuse it without any change.
  case refuse(BackendFailure)

  /// Checks the session first, so that the grace period never revives an ended one.
  static func decide(_ token: PresentedRefreshToken, now: Timestamp) -> RefreshDecision {
    switch token.ended {
    case .reused: return .refuse(.refreshTokenReused)
    case .loggedOut, .accountDeletion: return .refuse(.invalidToken)
    case nil: break
    }
    if let superseded = token.supersededAt {
      // The magnitude, since the clock may have been set back.
      let age = (now.milliseconds - superseded.milliseconds).magnitude
      let mayBeLostAnswer = age <= UInt64(Lifetimes.refreshGrace) && token.isSuccessorUnused && token.isFromItsDevice
      return mayBeLostAnswer ? .repeatSuccessor : .endSession
    }
    guard token.isFromItsDevice else { return .refuse(.deviceNotRegistered) }
    guard now < token.expiresAt, now < token.sessionExpiresAt else { return .refuse(.refreshTokenExpired) }
    return .rotate
  }
}
