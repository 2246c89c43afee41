import FoundationEssentials
import HTTPTypes
import JSON
import RPC
import Storage
import Vault

/// The stored response to a call with an `Idempotency-Key`, valid for a day within one account and path.
enum IdempotencyRecord {
  struct Scope: Sendable {
    let accountID: String
    let path: String
    /// A UUID in lower case.
    let key: String
  }

  /// Returns the key of a call, nil if it has none; throws `invalid_request` if the key is not a UUID.
  static func key(of head: CallHead) throws(BackendFailure) -> String? {
    guard let text = head.fields[.idempotencyKey] else { return nil }
    guard text.utf8.count == 36, let id = UUID(uuidString: text) else {
      throw .invalidRequest("The Idempotency-Key is not a UUID.")
    }
    return id.uuidString.lowercased()
  }

  /// Returns the stored response, nil for a new key; throws `idempotency_mismatch` if the key was used with a different body.
  static func find(_ transaction: any StorageTransaction, _ scope: Scope, body: [UInt8], now: Timestamp) throws -> Answer? {
    // Records from the future, from before the clock was set back, are valid too.
    let row = try transaction.first(
      """
      SELECT request_hash, status, body FROM idempotency_record
      WHERE account_id = ? AND path = ? AND idempotency_key = ? AND recorded_at > ?
      """, scope.accountID, scope.path, scope.key, expiry(now))
    guard let row else { return nil }
    guard try row.bytes("request_hash") == SHA256Digest.hash(body) else { throw BackendFailure.idempotencyMismatch }
    let code = try row.int("status")
    guard (200...599).contains(code) else { throw StorageError.mismatch("status is out of range") }
    return Answer(status: HTTPResponse.Status(code: code), body: try row.optionalBytes("body"))
  }

  /// Stores a response in the transaction of its effect, and deletes records that are older than a day.
  static func insert(_ transaction: any StorageTransaction, _ scope: Scope, body: [UInt8], answer: Answer, now: Timestamp) throws
  {
    try transaction.execute("DELETE FROM idempotency_record WHERE recorded_at <= ?", expiry(now))
    try transaction.execute(
      """
      INSERT INTO idempotency_record (account_id, path, idempotency_key, request_hash, status, body, recorded_at)
      VALUES (?, ?, ?, ?, ?, ?, ?)
      """, scope.accountID, scope.path, scope.key, SHA256Digest.hash(body), answer.status.code, answer.body, now.milliseconds)
  }

  private static func expiry(_ now: Timestamp) -> Int64 { now.milliseconds - Lifetimes.idempotency }
}
