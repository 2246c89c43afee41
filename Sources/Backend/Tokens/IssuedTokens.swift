import JSON
import RPC
import Storage

/// A token pair that a client receives.
struct IssuedTokens: Sendable {
  let secrets: TokenSecrets
  let sessionID: String
  let accessExpiresAt: Timestamp
  /// When the refresh token expires if it is not used.
  let refreshExpiresAt: Timestamp

  /// Stores the next pair of a session; no token outlives the session.
  static func issue(
    _ transaction: any StorageTransaction, session: Session, pairID: String, secrets: TokenSecrets, now: Timestamp
  ) throws
    -> IssuedTokens
  {
    let issued = IssuedTokens(
      secrets: secrets, sessionID: session.sessionID,
      accessExpiresAt: min(now.adding(Lifetimes.accessToken), session.expiresAt),
      refreshExpiresAt: min(now.adding(Lifetimes.refreshIdle), session.expiresAt))
    try transaction.execute(
      """
      INSERT INTO token_pair (pair_id, session_id, refresh_hash, access_hash, access_expires_at, refresh_expires_at)
      VALUES (?, ?, ?, ?, ?, ?)
      """, pairID, session.sessionID, TokenSecrets.hash(secrets.refresh), TokenSecrets.hash(secrets.access),
      issued.accessExpiresAt.milliseconds, issued.refreshExpiresAt.milliseconds)
    return issued
  }

  /// Returns the response; lifetimes count from `now`, so that a repeated pair does not seem to live longer.
  func body(profile: ProfileBody?, now: Timestamp) -> TokenPair {
    TokenPair(
      accessToken: secrets.access, refreshToken: secrets.refresh, expiresIn: now.seconds(until: accessExpiresAt),
      expiresAt: accessExpiresAt, refreshExpiresIn: now.seconds(until: refreshExpiresAt), refreshExpiresAt: refreshExpiresAt,
      sessionID: sessionID, profile: profile)
  }
}
