import JSON

/// Why a session is over.
enum SessionEnd: String, Sendable {
  /// The client said so.
  case loggedOut = "logged_out"
  /// A spent refresh token was presented: somebody else may hold the family.
  case reused
  /// Another device asked for the account's deletion.
  case accountDeletion = "account_deletion"
}

/// What is known of a refresh token that was presented.
struct PresentedRefreshToken: Sendable {
  /// How its family ended; nil while it lives.
  var ended: SessionEnd?
  /// When the family ends whatever happens.
  var familyExpiresAt: Timestamp
  /// When this token ends by lying unused.
  var expiresAt: Timestamp
  /// When it was exchanged, set once and never by a revocation; nil while it is the newest.
  var supersededAt: Timestamp?
  /// Whether the pair that it was exchanged for has not been exchanged itself.
  var isSuccessorUnused: Bool
  /// Whether it comes from the registered device of its session.
  var isFromItsDevice: Bool
}

/// What to do with a refresh token.
enum RefreshDecision: Equatable, Sendable {
  /// Exchange it.
  case rotate
  /// Give the pair that it was exchanged for once more: the answer may have been lost.
  case repeatSuccessor
  /// End the family for good.
  case endFamily
  /// Refuse it and change nothing.
  case refuse(BackendFailure)

  /// Decides by the family first, so that no grace ever revives one that has ended.
  static func of(_ token: PresentedRefreshToken, now: Timestamp) -> RefreshDecision {
    switch token.ended {
    case .reused: return .refuse(.refreshTokenReused)
    case .loggedOut, .accountDeletion: return .refuse(.invalidToken)
    case nil: break
    }
    if let superseded = token.supersededAt {
      // The clock may have stepped back a little since, hence the magnitude.
      let age = (now.milliseconds - superseded.milliseconds).magnitude
      let isLostAnswer = age <= UInt64(Lifetimes.refreshGrace) && token.isSuccessorUnused && token.isFromItsDevice
      return isLostAnswer ? .repeatSuccessor : .endFamily
    }
    guard token.isFromItsDevice else { return .refuse(.deviceNotRegistered) }
    guard now < token.expiresAt, now < token.familyExpiresAt else { return .refuse(.refreshTokenExpired) }
    return .rotate
  }
}
