import GRDB
import JSON
import Vault

/// The link and code that are on their way to an identifier: one row an identifier, so that a new one kills the older.
struct LoginChallenge: Sendable {
  /// Whose it is.
  let identifier: LoginIdentifier
  /// Whether nothing was sent, the identifier having no account while registration is closed.
  let isDecoy: Bool

  /// The secrets of a message, as they leave.
  struct Secrets: Sendable {
    /// 32 random bytes in base 64 for URLs; nil for a code alone.
    let linkToken: String?
    /// Six digits.
    let code: String?
  }

  /// Replaces whatever was on its way to the identifier.
  static func issue(
    _ db: Database, to challenge: LoginChallenge, secrets: Secrets, state: String?, codeKey: [UInt8], now: Timestamp
  ) throws {
    let id = SecureRandom.uuid()
    let identifier = challenge.identifier
    try db.execute(
      sql: "DELETE FROM login_challenge WHERE identifier = ? OR expires_at <= ?", arguments: [identifier.text, now.milliseconds])
    try db.execute(
      sql: """
        INSERT INTO login_challenge
          (challenge_id, identifier, identifier_kind, link_hash, code_hash, state, is_decoy, expires_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        """,
      arguments: [
        id, identifier.text, identifier.kind.rawValue, secrets.linkToken.map { TokenSecrets.hash($0) },
        secrets.code.map { hash(code: $0, challengeID: id, key: codeKey) }, state, challenge.isDecoy,
        now.adding(Lifetimes.message).milliseconds,
      ])
  }

  /// Takes the challenge of a link's token, once: deleting is the check; nil where there is none that is alive.
  ///
  /// A state that is given must be the one that the link was asked with; a wrong one leaves the link good.
  static func redeem(_ db: Database, linkToken: String, state: String?, now: Timestamp) throws -> LoginChallenge? {
    try Row.fetchAll(
      db,
      sql: """
        DELETE FROM login_challenge
        WHERE link_hash = ? AND expires_at > ? AND (? IS NULL OR state = ?)
        RETURNING identifier, is_decoy
        """,
      arguments: [TokenSecrets.hash(linkToken), now.milliseconds, state, state]
    ).first.flatMap(LoginChallenge.init)
  }

  /// A code to compare with, for which an attempt has been counted.
  struct Attempt: Sendable {
    /// Which challenge it counts against.
    let challengeID: String
    /// What the code must hash to.
    let codeHash: [UInt8]
  }

  /// Counts an attempt on the identifier's code; nil where no code is alive or all attempts are spent.
  ///
  /// In a statement of its own and before any comparison, so that however many try at once no more than five are compared.
  static func countAttempt(_ db: Database, identifier: LoginIdentifier, now: Timestamp) throws -> Attempt? {
    try Row.fetchAll(
      db,
      sql: """
        UPDATE login_challenge SET attempts = attempts + 1
        WHERE identifier = ? AND code_hash IS NOT NULL AND attempts < ? AND expires_at > ?
        RETURNING challenge_id, code_hash
        """,
      arguments: [identifier.text, Lifetimes.codeAttempts, now.milliseconds]
    ).first.map { row in
      let hash: StoredBytes = row["code_hash"]
      return Attempt(challengeID: row["challenge_id"], codeHash: hash.bytes)
    }
  }

  /// Whether the code is the one that the attempt was counted for, compared in constant time; a missing attempt costs the same.
  static func matches(code: String, attempt: Attempt?, codeKey: [UInt8]) -> Bool {
    let presented = hash(code: code, challengeID: attempt?.challengeID ?? SecureRandom.uuid(), key: codeKey)
    let expected = attempt?.codeHash ?? SecureRandom.bytes(SHA256Digest.byteCount)
    return constantTimeEquals(presented.bytes, expected) && attempt != nil
  }

  /// Takes a challenge whose code was right, once; nil when another call was first, or a newer message has replaced it.
  static func redeem(_ db: Database, challengeID: String, now: Timestamp) throws -> LoginChallenge? {
    try Row.fetchAll(
      db, sql: "DELETE FROM login_challenge WHERE challenge_id = ? AND expires_at > ? RETURNING identifier, is_decoy",
      arguments: [challengeID, now.milliseconds]
    ).first.flatMap(LoginChallenge.init)
  }

  /// Bound to the challenge, so that equal codes do not look equal.
  private static func hash(code: String, challengeID: String, key: [UInt8]) -> StoredBytes {
    StoredBytes(HMAC.sha256(Array("\(challengeID) \(code)".utf8), key: key))
  }

  /// A challenge to an identifier.
  init(identifier: LoginIdentifier, isDecoy: Bool) {
    self.identifier = identifier
    self.isDecoy = isDecoy
  }

  private init?(_ row: Row) {
    guard let identifier = LoginIdentifier(row["identifier"] as String) else { return nil }
    self.init(identifier: identifier, isDecoy: row["is_decoy"])
  }
}
