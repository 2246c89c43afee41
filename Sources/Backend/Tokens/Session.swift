import GRDB
import JSON
import Vault

/// A signed-in device: one family of refresh tokens.
struct Session: Sendable {
  /// A UUID.
  let sessionID: String
  /// Whose it is.
  let accountID: String
  /// The only device that may use it.
  let deviceID: String
  /// When the family ends whatever happens.
  let expiresAt: Timestamp

  /// Registers the device and begins a session on it.
  static func begin(_ db: Database, account: Account, deviceID: String, now: Timestamp) throws -> Session {
    let session = Session(
      sessionID: SecureRandom.uuid(), accountID: account.accountID, deviceID: deviceID,
      expiresAt: now.adding(Lifetimes.refreshAbsolute))
    // Long after its end a session's spent tokens need no watching any more.
    try db.execute(
      sql: "DELETE FROM session WHERE expires_at <= ?", arguments: [now.adding(-Lifetimes.remembranceOfEnded).milliseconds])
    try db.execute(
      sql: """
        INSERT INTO device (device_id, registered_at) VALUES (?, ?)
        ON CONFLICT (device_id) DO UPDATE SET registered_at = excluded.registered_at
        """, arguments: [deviceID, now.milliseconds])
    try db.execute(
      sql: "INSERT INTO session (session_id, account_id, device_id, created_at, expires_at) VALUES (?, ?, ?, ?, ?)",
      arguments: [session.sessionID, session.accountID, deviceID, now.milliseconds, session.expiresAt.milliseconds])
    return session
  }

  /// The living session of an access token, checked at every call against its row, so that an end takes effect at once.
  ///
  /// Throws `invalid_token` for an unknown token or an ended session, `ErrDeviceNotRegistered` for another device, and
  /// `ErrAccessTokenExpired`.
  static func authorize(_ db: Database, accessToken: String, deviceID: String?, now: Timestamp) throws -> Session {
    let row = try Row.fetchOne(
      db,
      sql: """
        SELECT session.*, token_pair.access_expires_at, device.device_id IS NOT NULL AS is_registered
        FROM token_pair JOIN session USING (session_id) LEFT JOIN device ON device.device_id = session.device_id
        WHERE token_pair.access_hash = ?
        """, arguments: [TokenSecrets.hash(accessToken)])
    guard let row, row["ended_at"] as Int64? == nil else { throw BackendFailure.invalidToken }
    let session = Session(row)
    guard session.deviceID == deviceID, row["is_registered"] as Bool else { throw BackendFailure.deviceNotRegistered }
    guard now.milliseconds < row["access_expires_at"] as Int64, now < session.expiresAt else {
      throw BackendFailure.accessTokenExpired
    }
    return session
  }

  /// The account of an access token whose session was logged out from that device; nil for any other.
  static func accountID(_ db: Database, loggedOutAccessToken token: String, deviceID: String) throws -> String? {
    try String.fetchOne(
      db,
      sql: """
        SELECT session.account_id FROM token_pair JOIN session USING (session_id)
        WHERE token_pair.access_hash = ? AND session.device_id = ? AND session.end_reason = ?
        """, arguments: [TokenSecrets.hash(token), deviceID, SessionEnd.loggedOut.rawValue])
  }

  /// Ends a session; one that has ended keeps its first reason.
  static func end(_ db: Database, sessionID: String, reason: SessionEnd, now: Timestamp) throws {
    try db.execute(
      sql: "UPDATE session SET ended_at = ?, end_reason = ? WHERE session_id = ? AND ended_at IS NULL",
      arguments: [now.milliseconds, reason.rawValue, sessionID])
  }

  /// The session of a row with the session's columns.
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
