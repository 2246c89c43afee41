import JSON
import Storage
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
  static func begin(_ transaction: any StorageTransaction, account: Account, deviceID: String, now: Timestamp) throws -> Session {
    let session = Session(
      sessionID: SecureRandom.uuid(), accountID: account.accountID, deviceID: deviceID,
      expiresAt: now.adding(Lifetimes.refreshAbsolute))
    try transaction.execute(
      "DELETE FROM session WHERE expires_at <= ?", now.adding(-Lifetimes.endedSessionRetention).milliseconds)
    try transaction.execute(
      """
      INSERT INTO device (device_id, registered_at) VALUES (?, ?)
      ON CONFLICT (device_id) DO UPDATE SET registered_at = excluded.registered_at
      """, deviceID, now.milliseconds)
    try transaction.execute(
      "INSERT INTO session (session_id, account_id, device_id, created_at, expires_at) VALUES (?, ?, ?, ?, ?)", session.sessionID,
      session.accountID, deviceID, now.milliseconds, session.expiresAt.milliseconds)
    return session
  }

  /// Returns the active session of an access token; every call reads the row again, so that the end of a session applies at once.
  ///
  /// Throws `invalid_token` if the token is unknown or the session has ended, `ErrDeviceNotRegistered` for another device, and
  /// `ErrAccessTokenExpired`.
  static func authorize(_ transaction: any StorageTransaction, accessToken: String, deviceID: String?, now: Timestamp) throws
    -> Session
  {
    let row = try transaction.first(
      """
      SELECT session.*, token_pair.access_expires_at, device.device_id IS NOT NULL AS is_registered
      FROM token_pair JOIN session USING (session_id) LEFT JOIN device ON device.device_id = session.device_id
      WHERE token_pair.access_hash = ?
      """, TokenSecrets.hash(accessToken))
    guard let row, try row.optionalInteger("ended_at") == nil else { throw BackendFailure.invalidToken }
    let session = try Session(row)
    guard session.deviceID == deviceID, try row.flag("is_registered") else { throw BackendFailure.deviceNotRegistered }
    guard now.milliseconds < (try row.integer("access_expires_at")), now < session.expiresAt else {
      throw BackendFailure.accessTokenExpired
    }
    return session
  }

  /// Returns the account of an access token whose session that device has logged out, nil for any other token.
  static func accountID(_ transaction: any StorageTransaction, loggedOutAccessToken token: String, deviceID: String) throws
    -> String?
  {
    try transaction.first(
      """
      SELECT session.account_id FROM token_pair JOIN session USING (session_id)
      WHERE token_pair.access_hash = ? AND session.device_id = ? AND session.end_reason = ?
      """, TokenSecrets.hash(token), deviceID, SessionEnd.loggedOut.rawValue)?.text("account_id")
  }

  /// Ends a session; an ended session keeps its first reason.
  static func end(_ transaction: any StorageTransaction, sessionID: String, reason: SessionEnd, now: Timestamp) throws {
    try transaction.execute(
      "UPDATE session SET ended_at = ?, end_reason = ? WHERE session_id = ? AND ended_at IS NULL", now.milliseconds,
      reason.rawValue, sessionID)
  }

  /// Reads the columns of the table `session`.
  init(_ row: StorageRow) throws(StorageError) {
    self.init(
      sessionID: try row.text("session_id"), accountID: try row.text("account_id"), deviceID: try row.text("device_id"),
      expiresAt: Timestamp(milliseconds: try row.integer("expires_at")))
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
