import FoundationEssentials
import GRDB
import HTTPTypes
import JSON
import Vault

/// What a keyed call was answered with, kept for a day of the backend's clock and scoped to account and call.
enum IdempotencyRecord {
  /// Where a key counts.
  struct Scope: Sendable {
    /// Whose key it is.
    let accountID: String
    /// The call's path.
    let path: String
    /// The UUID in lower case.
    let key: String
  }

  /// The key of a call; nil where there is none, throws `invalid_request` where it is no UUID.
  static func key(of head: CallHead) throws(BackendFailure) -> String? {
    guard let text = head.fields[.idempotencyKey] else { return nil }
    guard text.utf8.count == 36, let id = UUID(uuidString: text) else {
      throw .invalidRequest("The Idempotency-Key is no UUID.")
    }
    return id.uuidString.lowercased()
  }

  /// The first answer to the key; nil for a new key, throws `idempotency_mismatch` for one of another body.
  static func find(_ db: Database, _ scope: Scope, body: [UInt8], now: Timestamp) throws -> Answer? {
    // A record from the future, left by a clock that went back, still counts: it may lose its key only by age.
    let row = try Row.fetchOne(
      db,
      sql: """
        SELECT request_hash, status, body FROM idempotency_record
        WHERE account_id = ? AND path = ? AND idempotency_key = ? AND recorded_at > ?
        """, arguments: [scope.accountID, scope.path, scope.key, oldest(now)])
    guard let row else { return nil }
    guard (row["request_hash"] as StoredBytes) == hash(body) else { throw BackendFailure.idempotencyMismatch }
    let kept: StoredBytes? = row["body"]
    return Answer(status: HTTPResponse.Status(code: row["status"]), body: kept?.bytes)
  }

  /// Keeps an answer in the transaction of its effect, and drops what is older than a day.
  static func keep(_ db: Database, _ scope: Scope, body: [UInt8], answer: Answer, now: Timestamp) throws {
    try db.execute(sql: "DELETE FROM idempotency_record WHERE recorded_at <= ?", arguments: [oldest(now)])
    try db.execute(
      sql: """
        INSERT INTO idempotency_record (account_id, path, idempotency_key, request_hash, status, body, recorded_at)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        """,
      arguments: [
        scope.accountID, scope.path, scope.key, hash(body), answer.status.code, answer.body.map { StoredBytes($0) },
        now.milliseconds,
      ])
  }

  private static func oldest(_ now: Timestamp) -> Int64 { now.milliseconds - Lifetimes.idempotency }
  private static func hash(_ body: [UInt8]) -> StoredBytes { StoredBytes(SHA256Digest.hash(body)) }
}
