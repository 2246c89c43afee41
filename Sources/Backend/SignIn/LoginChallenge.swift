import GRDB
import JSON
import Vault

/// The pending link and code of an identifier. There is one row for each identifier, so that a new message invalidates the last.
struct LoginChallenge: Sendable {
  let identifier: LoginIdentifier
  /// Whether no message was sent, because registration is closed and the identifier has no account.
  let isDecoy: Bool

  /// The secrets of a message in the clear.
  struct Secrets: Sendable {
    /// 32 random bytes in Base64URL; nil for a message with a code only.
    let linkToken: String?
    /// Six digits.
    let code: String?
  }

  /// Stores a challenge and removes the previous one of the identifier.
  static func issue(
    _ db: Database, to challenge: LoginChallenge, secrets: Secrets, state: String?, codeKey: [UInt8], now: Timestamp
  ) throws {
    let id = SecureRandom.uuid()
    let identifier = challenge.identifier
    try db.cachedStatement(
      sql: "DELETE FROM login_challenge WHERE identifier = ? OR expires_at <= ?"
    ).execute(arguments: [identifier.text, now.milliseconds])
    try db.cachedStatement(
      sql: """
        INSERT INTO login_challenge
          (challenge_id, identifier, identifier_kind, link_hash, code_hash, state, is_decoy, expires_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        """
    ).execute(arguments: [
      id, identifier.text, identifier.kind.rawValue, secrets.linkToken.map { TokenSecrets.hash($0) },
      secrets.code.map { hash(code: $0, challengeID: id, key: codeKey) }, state, challenge.isDecoy,
      now.adding(Lifetimes.message).milliseconds,
    ])
  }

  /// Redeems the token of a link; returns nil if it is unknown, used or expired. Deleting the row is the check, so only one call wins.
  ///
  /// If a state is given, it must be that of the link; a wrong state does not use up the link.
  static func redeem(_ db: Database, linkToken: String, state: String?, now: Timestamp) throws -> LoginChallenge? {
    try Row.fetchAll(
      db.cachedStatement(
        sql: """
          DELETE FROM login_challenge
          WHERE link_hash = ? AND expires_at > ? AND (? IS NULL OR state = ?)
          RETURNING identifier, is_decoy
          """),
      arguments: [TokenSecrets.hash(linkToken), now.milliseconds, state, state]
    ).first.flatMap(LoginChallenge.init)
  }

  /// A counted attempt at a code.
  struct Attempt: Sendable {
    let challengeID: String
    /// The hash that the code must have.
    let codeHash: [UInt8]
  }

  /// Counts an attempt; returns nil if no code is pending or all attempts are used.
  ///
  /// Commit it before the comparison, so that no more than five concurrent attempts are ever compared.
  static func countAttempt(_ db: Database, identifier: LoginIdentifier, now: Timestamp) throws -> Attempt? {
    try Row.fetchAll(
      db.cachedStatement(
        sql: """
          UPDATE login_challenge SET attempts = attempts + 1
          WHERE identifier = ? AND code_hash IS NOT NULL AND attempts < ? AND expires_at > ?
          RETURNING challenge_id, code_hash
          """),
      arguments: [identifier.text, Lifetimes.codeAttempts, now.milliseconds]
    ).first.map { row in
      let hash: StoredBytes = row["code_hash"]
      return Attempt(challengeID: row["challenge_id"], codeHash: hash.bytes)
    }
  }

  /// Whether the code is right; takes the same time whatever the code, and without an attempt.
  static func matches(code: String, attempt: Attempt?, codeKey: [UInt8]) -> Bool {
    let presented = hash(code: code, challengeID: attempt?.challengeID ?? SecureRandom.uuid(), key: codeKey)
    let expected = attempt?.codeHash ?? SecureRandom.bytes(SHA256Digest.byteCount)
    return constantTimeEquals(presented.bytes, expected) && attempt != nil
  }

  /// Redeems a challenge whose code was right; returns nil if another call was faster or a newer message has replaced it.
  static func redeem(_ db: Database, challengeID: String, now: Timestamp) throws -> LoginChallenge? {
    try Row.fetchAll(
      db.cachedStatement(
        sql: "DELETE FROM login_challenge WHERE challenge_id = ? AND expires_at > ? RETURNING identifier, is_decoy"),
      arguments: [challengeID, now.milliseconds]
    ).first.flatMap(LoginChallenge.init)
  }

  /// Includes the id of the challenge, so that equal codes have different hashes.
  private static func hash(code: String, challengeID: String, key: [UInt8]) -> StoredBytes {
    StoredBytes(HMAC.sha256(Array("\(challengeID) \(code)".utf8), key: key))
  }

  init(identifier: LoginIdentifier, isDecoy: Bool) {
    self.identifier = identifier
    self.isDecoy = isDecoy
  }

  private init?(_ row: Row) {
    guard let identifier = LoginIdentifier(row["identifier"] as String) else { return nil }
    self.init(identifier: identifier, isDecoy: row["is_decoy"])
  }
}
