import GRDB
import JSON
import Vault

/// The exchange of a refresh token; runs in a write transaction.
enum RefreshExchange {
  /// The result. A refusal is not thrown, since the transaction that ends a session must commit.
  enum Outcome: Sendable {
    case rotated(IssuedTokens, accountID: String)
    /// The same pair as before.
    case repeated(IssuedTokens, accountID: String)
    /// The session was ended because the token was spent.
    case ended(sessionID: String)
    case refused(BackendFailure)
  }

  static func run(_ db: Database, refreshToken: String, deviceID: String?, now: Timestamp) throws -> Outcome {
    guard let row = try find(db, refreshToken: refreshToken) else { return .refused(.invalidToken) }
    let session = Session(row)
    switch RefreshDecision.decide(presented(row, session: session, deviceID: deviceID), now: now) {
    case .refuse(let failure):
      return .refused(failure)
    case .endSession:
      try Session.end(db, sessionID: session.sessionID, reason: .reused, now: now)
      return .ended(sessionID: session.sessionID)
    case .repeatSuccessor:
      guard let issued = try successor(db, of: row, refreshToken: refreshToken) else { return .refused(.invalidToken) }
      return .repeated(issued, accountID: session.accountID)
    case .rotate:
      let issued = try rotate(db, pairID: row["pair_id"], refreshToken: refreshToken, session: session, now: now)
      return .rotated(issued, accountID: session.accountID)
    }
  }

  private static func find(_ db: Database, refreshToken: String) throws -> Row? {
    try Row.fetchOne(
      db.cachedStatement(
        sql: """
          SELECT session.*, token_pair.pair_id, token_pair.refresh_expires_at, token_pair.superseded_at,
            token_pair.successor_id, token_pair.successor_sealed,
            successor.pair_id IS NOT NULL AND successor.superseded_at IS NULL AS is_successor_unused,
            device.device_id IS NOT NULL AS is_registered
          FROM token_pair JOIN session USING (session_id)
            LEFT JOIN token_pair AS successor ON successor.pair_id = token_pair.successor_id
            LEFT JOIN device ON device.device_id = session.device_id
          WHERE token_pair.refresh_hash = ?
          """), arguments: [TokenSecrets.hash(refreshToken)])
  }

  private static func presented(_ row: Row, session: Session, deviceID: String?) -> PresentedRefreshToken {
    let ended: Int64? = row["ended_at"]
    let superseded: Int64? = row["superseded_at"]
    return PresentedRefreshToken(
      ended: ended.map { _ in SessionEnd(rawValue: row["end_reason"] ?? "") ?? .reused },
      sessionExpiresAt: session.expiresAt, expiresAt: Timestamp(milliseconds: row["refresh_expires_at"]),
      supersededAt: superseded.map { Timestamp(milliseconds: $0) }, isSuccessorUnused: row["is_successor_unused"],
      isFromItsDevice: session.deviceID == deviceID && row["is_registered"] as Bool)
  }

  private static func rotate(
    _ db: Database, pairID: String, refreshToken: String, session: Session, now: Timestamp
  ) throws -> IssuedTokens {
    let successorID = SecureRandom.uuid()
    let secrets = TokenSecrets.random()
    let sealed = secrets.sealed(forParent: refreshToken, pairID: successorID)
    try db.cachedStatement(
      sql: """
        UPDATE token_pair SET superseded_at = ?, successor_id = ?, successor_sealed = ?
        WHERE pair_id = ? AND superseded_at IS NULL
        """
    ).execute(arguments: [now.milliseconds, successorID, sealed.map { StoredBytes($0) }, pairID])
    // No other writer can be active, so anything but one changed row means that the table is damaged.
    guard db.changesCount == 1 else { throw BackendFailure.internal }
    // Only the token that was exchanged last may still get its successor again, so the one before loses its sealed copy.
    try db.cachedStatement(
      sql: "UPDATE token_pair SET successor_sealed = NULL WHERE successor_id = ?"
    ).execute(arguments: [pairID])
    return try IssuedTokens.issue(db, session: session, pairID: successorID, secrets: secrets, now: now)
  }

  private static func successor(_ db: Database, of row: Row, refreshToken: String) throws -> IssuedTokens? {
    guard let pairID = row["successor_id"] as String?, let sealed = row["successor_sealed"] as StoredBytes?,
      let secrets = TokenSecrets(opening: sealed.bytes, parent: refreshToken, pairID: pairID),
      let pair = try Row.fetchOne(db.cachedStatement(sql: "SELECT * FROM token_pair WHERE pair_id = ?"), arguments: [pairID])
    else { return nil }
    return IssuedTokens(
      secrets: secrets, sessionID: pair["session_id"],
      accessExpiresAt: Timestamp(milliseconds: pair["access_expires_at"]),
      refreshExpiresAt: Timestamp(milliseconds: pair["refresh_expires_at"]))
  }
}
