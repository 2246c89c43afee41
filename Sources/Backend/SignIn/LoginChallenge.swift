import JSON
import Storage
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
    _ transaction: any StorageTransaction, to challenge: LoginChallenge, secrets: Secrets, state: String?, codeKey: [UInt8],
    now: Timestamp
  ) throws {
    let id = SecureRandom.uuid()
    let identifier = challenge.identifier
    try transaction.execute(
      "DELETE FROM login_challenge WHERE identifier = ? OR expires_at <= ?", identifier.text, now.milliseconds)
    try transaction.execute(
      """
      INSERT INTO login_challenge
        (challenge_id, identifier, identifier_kind, link_hash, code_hash, state, is_decoy, expires_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      """, id, identifier.text, identifier.kind.rawValue, secrets.linkToken.map { TokenSecrets.hash($0) },
      secrets.code.map { hash(code: $0, challengeID: id, key: codeKey) }, state, challenge.isDecoy,
      now.adding(Lifetimes.message).milliseconds)
  }

  /// Redeems the token of a link; returns nil if it is unknown, used or expired. Deleting the row is the check, so only one call wins.
  ///
  /// If a state is given, it must be that of the link; a wrong state does not use up the link.
  static func redeem(_ transaction: any StorageTransaction, linkToken: String, state: String?, now: Timestamp) throws
    -> LoginChallenge?
  {
    // No link has such a state, and PostgreSQL could not compare it.
    guard state?.utf8.contains(0) != true else { return nil }
    let matchesState = state == nil ? "" : " AND state = ?"
    let arguments: [StorageValue?] = [
      .bytes(TokenSecrets.hash(linkToken)), .integer(now.milliseconds), state?.storageValue,
    ]
    return try transaction.rows(
      "DELETE FROM login_challenge WHERE link_hash = ? AND expires_at > ?\(matchesState) RETURNING identifier, is_decoy",
      arguments.compactMap(\.self)
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
  static func countAttempt(_ transaction: any StorageTransaction, identifier: LoginIdentifier, now: Timestamp) throws -> Attempt?
  {
    try transaction.rows(
      """
      UPDATE login_challenge SET attempts = attempts + 1
      WHERE identifier = ? AND code_hash IS NOT NULL AND attempts < ? AND expires_at > ?
      RETURNING challenge_id, code_hash
      """, identifier.text, Lifetimes.codeAttempts, now.milliseconds
    ).first.map { row in
      Attempt(challengeID: try row.text("challenge_id"), codeHash: try row.bytes("code_hash"))
    }
  }

  /// Whether the code is right; takes the same time for every code, and without an attempt.
  static func matches(code: String, attempt: Attempt?, codeKey: [UInt8]) -> Bool {
    let presented = hash(code: code, challengeID: attempt?.challengeID ?? SecureRandom.uuid(), key: codeKey)
    let expected = attempt?.codeHash ?? SecureRandom.bytes(SHA256Digest.byteCount)
    return constantTimeEquals(presented, expected) && attempt != nil
  }

  /// Redeems a challenge whose code was right; returns nil if another call was faster or a newer message has replaced it.
  static func redeem(_ transaction: any StorageTransaction, challengeID: String, now: Timestamp) throws -> LoginChallenge? {
    try transaction.rows(
      "DELETE FROM login_challenge WHERE challenge_id = ? AND expires_at > ? RETURNING identifier, is_decoy", challengeID,
      now.milliseconds
    ).first.flatMap(LoginChallenge.init)
  }

  /// Includes the id of the challenge, so that equal codes have different hashes.
  private static func hash(code: String, challengeID: String, key: [UInt8]) -> [UInt8] {
    HMAC.sha256(Array("\(challengeID) \(code)".utf8), key: key)
  }

  init(identifier: LoginIdentifier, isDecoy: Bool) {
    self.identifier = identifier
    self.isDecoy = isDecoy
  }

  private init?(_ row: StorageRow) throws(StorageError) {
    guard let identifier = LoginIdentifier(try row.text("identifier")) else { return nil }
    self.init(identifier: identifier, isDecoy: try row.flag("is_decoy"))
  }
}
