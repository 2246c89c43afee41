import Locking
import Storage

/// The accepted signatures in a database that several backends share, so that none is accepted by two of them.
final class SharedSignatures: SignatureReplays {
  /// The table.
  static let migrations = StorageMigrations([
    .init(
      "signatures",
      script: """
        CREATE TABLE used_signature (signature_key {bytes} PRIMARY KEY, nonce {integer} NOT NULL) {strict by key};
        CREATE INDEX used_signature_by_nonce ON used_signature (nonce);
        """)
  ])

  private struct State {
    var count = 0
    var prunedAt = Int64.min
  }

  private let storage: any StorageEngine
  private let capacity: Int
  private let window: Int64
  private let state = Locked(State())

  /// Like ``SignatureReplayCache/init(window:capacity:)``.
  init(
    storage: any StorageEngine, window: Int64 = Lifetimes.signatureWindow, capacity: Int = SignatureReplayCache.capacity
  ) { (self.storage, self.window, self.capacity) = (storage, window, capacity) }

  /// As counted within the last minute, and what was stored here since then.
  var count: Int { state.withLock { $0.count } }

  func insert(_ key: SignatureKey, nonce: Int64, now: Int64) async throws -> SignatureOutcome {
    try await prune(now: now)
    let isFull = count >= capacity
    let outcome = try await storage.write { transaction -> SignatureOutcome in
      guard !isFull else {
        let isKnown = try transaction.first("SELECT 1 AS one FROM used_signature WHERE signature_key = ?", key.bytes) != nil
        return isKnown ? .replayed : .full
      }
      let inserted = try transaction.rows(
        "INSERT INTO used_signature (signature_key, nonce) VALUES (?, ?) ON CONFLICT (signature_key) DO NOTHING RETURNING nonce",
        key.bytes, nonce)
      return inserted.isEmpty ? .replayed : .inserted
    }
    if outcome == .inserted { state.withLock { $0.count += 1 } }
    return outcome
  }

  /// Removes, at most once a minute, nonces that have expired or that are in the future because the clock was set back.
  private func prune(now: Int64) async throws {
    let isDue = state.withLock { state in
      defer { state.prunedAt = now / 60 }
      return state.prunedAt != now / 60
    }
    guard isDue else { return }
    // The clocks of two machines may differ by as much as the window.
    let (earliest, latest) = (now - 2 * window, now + 3 * window)
    let count = try await storage.write { transaction in
      try transaction.execute("DELETE FROM used_signature WHERE nonce < ? OR nonce > ?", earliest, latest)
      return try transaction.number("SELECT count(*) AS signatures FROM used_signature") ?? 0
    }
    state.withLock { $0.count = Int(count) }
  }
}
