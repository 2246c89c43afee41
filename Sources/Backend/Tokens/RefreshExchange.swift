import JSON
import Storage
import Vault

/// The exchange of a refresh token; runs in a write transaction.
enum RefreshExchange {
  /// The result. A rejection is not thrown, because the transaction that ends a session must commit.
  enum Outcome: Sendable {
    case rotated(IssuedTokens, accountID: String)
    /// The same pair as before.
    case repeated(IssuedTokens, accountID: String)
    /// The session was ended because the token was spent.
    case ended(sessionID: String)
    case refused(BackendFailure)
  }

  static func run(
    _ transaction: any StorageTransaction, refreshToken: String, deviceID: String?, now: Timestamp
  ) throws -> Outcome {
    guard let row = try find(transaction, refreshToken: refreshToken) else { return .refused(.invalidToken) }
    let session = try Session(row)
    switch RefreshDecision.decide(try presented(row, session: session, deviceID: deviceID), now: now) {
    case .refuse(let failure):
      return .refused(failure)
    case .endSession:
      try Session.end(transaction, sessionID: session.sessionID, reason: .reused, now: now)
      return .ended(sessionID: session.sessionID)
    case .repeatSuccessor:
      guard let issued = try successor(transaction, of: row, refreshToken: refreshToken) else { return .refused(.invalidToken) }
      return .repeated(issued, accountID: session.accountID)
    case .rotate:
      let issued = try rotate(transaction, pairID: row.text("pair_id"), refreshToken: refreshToken, session: session, now: now)
      return .rotated(issued, accountID: session.accountID)
    }
  }

  private static func find(_ transaction: any StorageTransaction, refreshToken: String) throws -> StorageRow? {
    try transaction.first(
      """
      SELECT session.*, token_pair.pair_id, token_pair.refresh_expires_at, token_pair.superseded_at,
        token_pair.successor_id, token_pair.successor_sealed,
        successor.pair_id IS NOT NULL AND successor.superseded_at IS NULL AS is_successor_unused,
        device.device_id IS NOT NULL AS is_registered
      FROM token_pair JOIN session USING (session_id)
        LEFT JOIN token_pair AS successor ON successor.pair_id = token_pair.successor_id
        LEFT JOIN device ON device.device_id = session.device_id
      WHERE token_pair.refresh_hash = ?
      """, TokenSecrets.hash(refreshToken))
  }

  private static func presented(_ row: StorageRow, session: Session, deviceID: String?) throws -> PresentedRefreshToken {
    let hasEnded = try row.optionalInteger("ended_at") != nil
    let superseded = try row.optionalInteger("superseded_at")
    return PresentedRefreshToken(
      ended: hasEnded ? SessionEnd(rawValue: try row.optionalText("end_reason") ?? "") ?? .reused : nil,
      sessionExpiresAt: session.expiresAt, expiresAt: Timestamp(milliseconds: try row.integer("refresh_expires_at")),
      supersededAt: superseded.map { Timestamp(milliseconds: $0) }, isSuccessorUnused: try row.flag("is_successor_unused"),
      isFromItsDevice: try row.flag("is_registered") && session.deviceID == deviceID)
  }

  private static func rotate(
    _ transaction: any StorageTransaction, pairID: String, refreshToken: String, session: Session, now: Timestamp
  ) throws -> IssuedTokens {
    let successorID = SecureRandom.uuid()
    let secrets = TokenSecrets.random()
    let sealed = secrets.sealed(forParent: refreshToken, pairID: successorID)
    let changed = try transaction.execute(
      """
      UPDATE token_pair SET superseded_at = ?, successor_id = ?, successor_sealed = ?
      WHERE pair_id = ? AND superseded_at IS NULL
      """, now.milliseconds, successorID, sealed, pairID)
    // The transaction runs as if it were the only writer, so any count other than one means that the table is damaged.
    guard changed == 1 else { throw BackendFailure.internal }
    // Only the last exchanged token may still get its successor again, so the token before it loses its sealed copy.
    try transaction.execute("UPDATE token_pair SET successor_sealed = NULL WHERE successor_id = ?", pairID)
    return try IssuedTokens.issue(transaction, session: session, pairID: successorID, secrets: secrets, now: now)
  }

  private static func successor(
    _ transaction: any StorageTransaction, of row: StorageRow, refreshToken: String
  ) throws -> IssuedTokens? {
    guard let pairID = try row.optionalText("successor_id"), let sealed = try row.optionalBytes("successor_sealed"),
      let secrets = TokenSecrets(opening: sealed, parent: refreshToken, pairID: pairID),
      let pair = try transaction.first("SELECT * FROM token_pair WHERE pair_id = ?", pairID)
    else { return nil }
    return IssuedTokens(
      secrets: secrets, sessionID: try pair.text("session_id"),
      accessExpiresAt: Timestamp(milliseconds: try pair.integer("access_expires_at")),
      refreshExpiresAt: Timestamp(milliseconds: try pair.integer("refresh_expires_at")))
  }
}

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

/// The action for a presented refresh token.
enum RefreshDecision: Equatable, Sendable {
  /// Exchange it for a new pair.
  case rotate
  /// Return the pair that it was exchanged for, because the first response may have been lost.
  case repeatSuccessor
  /// End the session for good.
  case endSession
  /// Reject it without any change.
  case refuse(BackendFailure)

  /// Checks the session first, so that the grace period never revives an ended one.
  static func decide(_ token: PresentedRefreshToken, now: Timestamp) -> RefreshDecision {
    switch token.ended {
    case .reused: return .refuse(.refreshTokenReused)
    case .loggedOut, .accountDeletion: return .refuse(.invalidToken)
    case nil: break
    }
    if let superseded = token.supersededAt {
      // The magnitude, because the clock may have been set back.
      let age = (now.milliseconds - superseded.milliseconds).magnitude
      let mayBeLostAnswer = age <= UInt64(Lifetimes.refreshGrace) && token.isSuccessorUnused && token.isFromItsDevice
      return mayBeLostAnswer ? .repeatSuccessor : .endSession
    }
    guard token.isFromItsDevice else { return .refuse(.deviceNotRegistered) }
    guard now < token.expiresAt, now < token.sessionExpiresAt else { return .refuse(.refreshTokenExpired) }
    return .rotate
  }
}
