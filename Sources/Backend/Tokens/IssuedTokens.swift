import GRDB
import JSON
import RPC
import Vault

/// A token pair as it is handed out.
struct IssuedTokens: Sendable {
  /// The tokens.
  let secrets: TokenSecrets
  /// The session they belong to.
  let sessionID: String
  /// When the access token ends.
  let accessExpiresAt: Timestamp
  /// When the refresh token ends by lying unused.
  let refreshExpiresAt: Timestamp

  /// Makes a session's next pair; its access token ends no later than its session.
  static func issue(_ db: Database, session: Session, pairID: String, secrets: TokenSecrets, now: Timestamp) throws
    -> IssuedTokens
  {
    let issued = IssuedTokens(
      secrets: secrets, sessionID: session.sessionID,
      accessExpiresAt: min(now.adding(Lifetimes.accessToken), session.expiresAt),
      refreshExpiresAt: min(now.adding(Lifetimes.refreshIdle), session.expiresAt))
    try db.execute(
      sql: """
        INSERT INTO token_pair (pair_id, session_id, refresh_hash, access_hash, access_expires_at, refresh_expires_at)
        VALUES (?, ?, ?, ?, ?, ?)
        """,
      arguments: [
        pairID, session.sessionID, TokenSecrets.hash(secrets.refresh), TokenSecrets.hash(secrets.access),
        issued.accessExpiresAt.milliseconds, issued.refreshExpiresAt.milliseconds,
      ])
    return issued
  }

  /// The answer's JSON: lifetimes are what is left now, so that a pair given a second time is not said to live longer.
  func body(profile: ProfileBody?, now: Timestamp) -> TokenPair {
    TokenPair(
      accessToken: secrets.access, refreshToken: secrets.refresh, expiresIn: now.seconds(until: accessExpiresAt),
      expiresAt: accessExpiresAt, refreshExpiresIn: now.seconds(until: refreshExpiresAt), refreshExpiresAt: refreshExpiresAt,
      sessionID: sessionID, profile: profile)
  }
}
