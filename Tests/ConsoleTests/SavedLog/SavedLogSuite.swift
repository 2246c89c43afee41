import Client
import Foundation
import JSON
import Support
import Vault

@testable import Console
@testable import Observability
@testable import Redaction

/// What suites of the store share: a device whose log is saved.
protocol SavedLogSuite: Sendable {
  /// The key that the suite's stores seal with.
  var key: SealingKey { get }
}

extension SavedLogSuite {
  /// The device.
  var owner: SavedLogOwner { SavedLogOwner(deviceID: "device", backendID: "backend") }
  /// When it wakes.
  var now: Date { Date(timeIntervalSince1970: 1_760_000_100) }

  /// Calls `body` with a store over an empty database.
  func withStore(
    _ kind: StorageEngineKind, _ change: (inout SavedLogLimits) -> Void = { _ in }, _ body: (SavedLogStore) async throws -> Void
  ) async throws {
    var limits = SavedLogLimits()
    change(&limits)
    try await kind.withSavedLog { try await body(SavedLogStore(storage: $0, key: key, limits: limits)) }
  }

  /// A log that is saved, as that of a device.
  func log(_ capacity: Int = 2000, _ registry: SecretRegistry? = nil, bodyBytes: Int = 1 << 20) -> NetworkLog {
    let log = NetworkLog(capacity: capacity, bodyBytes: bodyBytes, registry: registry ?? SecretRegistry(tagKey: [7])) { _ in }
    log.restore([], older: 0, next: 1)
    return log
  }

  /// Saves what changed in a log.
  func save(
    _ log: NetworkLog, _ store: SavedLogStore, timeline: [TimelineEntry] = [], faults: [FaultEntry]? = nil, isAwake: Bool = false
  ) async throws {
    try await store.save([
      SavedLogBatch(
        owner: owner, attempts: log.takeUnsaved(), next: log.nextSeq, timeline: timeline, faults: faults, isAwake: isAwake)
    ])
  }

  /// A log filled with what is saved.
  func wake(_ store: SavedLogStore, limit: Int = 2000) async throws -> (log: NetworkLog, saved: SavedLogContents) {
    let saved = try await store.load(owner, limit: limit, at: now)
    let log = NetworkLog(capacity: limit, bodyBytes: 1 << 20, registry: SecretRegistry(tagKey: [7])) { _ in }
    log.restore(saved.attempts, older: saved.older, next: saved.next, gaps: saved.gaps)
    return (log, saved)
  }
}
