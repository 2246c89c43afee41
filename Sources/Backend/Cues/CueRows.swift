import JSON
import RPC
import Storage
import Vault
import Text

/// The cues of a profile.
enum CueRows {
  /// Inserts the deck of a language into a new profile.
  static func seed(_ transaction: any StorageTransaction, profileID: String, languageCode: String, now: Timestamp) throws {
    for (position, card) in Deck.of(languageCode).enumerated() {
      try transaction.execute(
        "INSERT INTO cue (cue_id, profile_id, prompt, answer, stage, position, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
        SecureRandom.uuid(), profileID, card.prompt, card.answer, CueStage.new.rawValue, position, now.milliseconds)
    }
  }

  /// Returns the cues of a profile in order; `since` limits them to those changed at or after an instant.
  static func list(_ transaction: any StorageTransaction, profileID: String, since: Timestamp? = nil) throws -> [CueBody] {
    let rows: [StorageRow]
    if let since {
      rows = try transaction.rows(
        "SELECT * FROM cue WHERE profile_id = ? AND updated_at >= ? ORDER BY position, cue_id", profileID, since.milliseconds)
    } else {
      rows = try transaction.rows("SELECT * FROM cue WHERE profile_id = ? ORDER BY position, cue_id", profileID)
    }
    return try rows.map(body)
  }

  /// Returns a cue of the account; throws `cue_not_found` if there is none, or if it belongs to another account.
  static func find(_ transaction: any StorageTransaction, cueID: String, accountID: String) throws -> CueBody {
    let row =
      try isID(cueID)
      ? transaction.first(
        "SELECT cue.* FROM cue JOIN profile USING (profile_id) WHERE cue.cue_id = ? AND profile.account_id = ?", cueID, accountID)
      : nil
    guard let row else { throw BackendFailure.cueNotFound }
    return try body(row)
  }

  /// Moves a cue to a stage; throws `conflict` with the current cue if it was changed after `base`.
  ///
  /// `step` is the precision of dates in milliseconds.
  static func move(
    _ transaction: any StorageTransaction, _ cue: CueBody, to stage: CueStage, base: Timestamp, now: Timestamp, step: Int64
  ) throws -> CueBody {
    guard base.roundedDown(toMultipleOf: step) == cue.updatedAt.instant.roundedDown(toMultipleOf: step) else {
      throw BackendFailure.conflict(cue)
    }
    let updatedAt = nextUpdate(after: cue.updatedAt.instant, now: now, step: step)
    try transaction.execute(
      "UPDATE cue SET stage = ?, updated_at = ? WHERE cue_id = ?", stage.rawValue, updatedAt.milliseconds, cue.cueID)
    return CueBody(
      cueID: cue.cueID, profileID: cue.profileID, prompt: cue.prompt, answer: cue.answer, stage: stage, position: cue.position,
      updatedAt: ReceivedTimestamp(updatedAt))
  }

  /// Puts the cues of a profile in a different order, chosen uniformly, and marks all of them as changed.
  static func shuffle(_ transaction: any StorageTransaction, profileID: String, now: Timestamp, step: Int64) throws -> [CueBody] {
    let cues = try list(transaction, profileID: profileID)
    guard cues.count > 1 else { return cues }
    var random = SecureGenerator()
    var order = cues.shuffled(using: &random)
    // With a limit, because manually inserted ids can be equal.
    for _ in 0..<64 where order.map(\.cueID) == cues.map(\.cueID) { order.shuffle(using: &random) }
    return try order.enumerated().map { position, cue in
      let updatedAt = nextUpdate(after: cue.updatedAt.instant, now: now, step: step)
      try transaction.execute(
        "UPDATE cue SET position = ?, updated_at = ? WHERE cue_id = ?", position, updatedAt.milliseconds, cue.cueID)
      return CueBody(
        cueID: cue.cueID, profileID: cue.profileID, prompt: cue.prompt, answer: cue.answer, stage: cue.stage,
        position: position, updatedAt: ReceivedTimestamp(updatedAt))
    }
  }

  /// Whether a text has the form of an id of this backend; others are not looked up in the database.
  static func isID(_ text: String) -> Bool {
    text.utf8.count == 36
      && text.utf8.allSatisfy { byte in
        ASCII.isHexadecimal(byte) && !ASCII.isUppercase(byte) || byte == UInt8(ascii: "-")
      }
  }

  /// Returns the time of a change, at least one step after the last one, so that two changes never have the same time.
  private static func nextUpdate(after last: Timestamp, now: Timestamp, step: Int64) -> Timestamp {
    max(now.roundedDown(toMultipleOf: step), last.roundedDown(toMultipleOf: step).adding(step))
  }

  private static func body(_ row: StorageRow) throws(StorageError) -> CueBody {
    CueBody(
      cueID: try row.text("cue_id"), profileID: try row.text("profile_id"), prompt: try row.text("prompt"),
      answer: try row.text("answer"), stage: CueStage(rawValue: try row.text("stage")) ?? .new, position: try row.int("position"),
      updatedAt: ReceivedTimestamp(Timestamp(milliseconds: try row.integer("updated_at"))))
  }
}

/// The system's secure random generator.
private struct SecureGenerator: RandomNumberGenerator {
  mutating func next() -> UInt64 { SecureRandom.bytes(8).reduce(0) { $0 << 8 | UInt64($1) } }
}
