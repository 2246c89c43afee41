import GRDB
import JSON
import Vault

/// A signed-in device and its family of refresh tokens.
struct Session: Sendable {
  let sessionID: String
  let accountID: String
  /// The only device that may use the session.
  let deviceID: String
  /// When the session expires, however often it is refreshed.
  let expiresAt: Timestamp

  /// Registers the device and starts a session on it.
  static func begin(_ db: Database, account: Account, deviceID: String, now: Timestamp) throws -> Session {
    let session = Session(
      sessionID: SecureRandom.uuid(), accountID: account.accountID, deviceID: deviceID,
      expiresAt: now.adding(Lifetimes.refreshAbsolute))
    try db.cachedStatement(
      sql: "DELETE FROM session WHERE expires_at <= ?"
    ).execute(arguments: [now.adding(-Lifetimes.endedSessionRetention).milliseconds])
    try db.cachedStatement(
      sql: """
        INSERT INTO device (device_id, registered_at) VALUES (?, ?)
        ON CONFLICT (device_id) DO UPDATE SET registered_at = excluded.registered_at
        """
    ).execute(arguments: [deviceID, now.milliseconds])
    try db.cachedStatement(
      sql: "INSERT INTO session (session_id, account_id, device_id, created_at, expires_at) VALUES (?, ?, ?, ?, ?)"
    ).execute(arguments: [session.sessionID, session.accountID, deviceID, now.milliseconds, session.expiresAt.milliseconds])
    return session
  }

  /// Returns the active session of an access token; every call reads the row again, so that the end of a session applies at once.
  ///
  /// Throws `invalid_token` if the token is unknown or the session has ended, `ErrDeviceNotRegistered` for another device, and
  /// `ErrAccessTokenExpired`.
  static func authorize(_ db: Database, accessToken: String, deviceID: String?, now: Timestamp) throws -> Session {
    let row = try Row.fetchOne(
      db.cachedStatement(
        sql: """
          SELECT session.*, token_pair.access_expires_at, device.device_id IS NOT NULL AS is_registered
          FROM token_pair JOIN session USING (session_id) LEFT JOIN device ON device.device_id = session.device_id
          WHERE token_pair.access_hash = ?
          """), arguments: [TokenSecrets.hash(accessToken)])
    guard let row, row["ended_at"] as Int64? == nil else { throw BackendFailure.invalidToken }
    let session = Session(row)
    guard session.deviceID == deviceID, row["is_registered"] as Bool else { throw BackendFailure.deviceNotRegistered }
    guard now.milliseconds < row["access_expires_at"] as Int64, now < session.expiresAt else {
      throw BackendFailure.accessTokenExpired
    }
    return session
  }

  /// Returns the account of an access token whose session that device has logged out, nil for any other token.
  static func accountID(_ db: Database, loggedOutAccessToken token: String, deviceID: String) throws -> String? {
    try String.fetchOne(
      db.cachedStatement(
        sql: """
          SELECT session.account_id FROM token_pair JOIN session USING (session_id)
          WHERE token_pair.access_hash = ? AND session.device_id = ? AND session.end_reason = ?
          """), arguments: [TokenSecrets.hash(token), deviceID, SessionEnd.loggedOut.rawValue])
  }

  /// Ends a session; an ended session keeps its first reason.
  static func end(_ db: Database, sessionID: String, reason: SessionEnd, now: Timestamp) throws {
    try db.cachedStatement(
      sql: "UPDATE session SET ended_at = ?, end_reason = ? WHERE session_id = ? AND ended_at IS NULL"
    ).execute(arguments: [now.milliseconds, reason.rawValue, sessionID])
  }

  /// Reads the columns of the table `session`.
  init(_ row: Row) {
    self.init(
      sessionID: row["session_id"], accountID: row["account_id"], deviceID: row["device_id"],
      expiresAt: Timestamp(milliseconds: row["expires_at"]))
  }

  private init(sessionID: String, accountID: String, deviceID: String, expiresAt: Timestamp) {
    self.sessionID = sessionID
    self.accountID = accountID
    self.deviceID = deviceID
    self.expiresAt = expiresAt
  }
}

/// Why a session has ended.
enum SessionEnd: String, Sendable {
  case loggedOut = "logged_out"
  /// A spent refresh token was presented, so the tokens may be stolen (RFC 9700 §4.14.2).
  case reused
  /// Another device requested the deletion of the account.
  case accountDeletion = "account_deletion"
}
