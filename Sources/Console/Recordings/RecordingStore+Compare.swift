import Observability
import Storage

extension RecordingStore {
  /// The most rows of each of two logs that are compared.
  static let comparisonLimit = 20_000

  /// A recording as it is compared; throws `Problem` if it has too many rows.
  func compared(_ saved: SavedRecording) async throws -> ComparedRecording {
    guard saved.recording.rows <= Self.comparisonLimit else { throw Problem.tooManyRowsToCompare }
    return try await compared(ComparedRecording(saved.recording.title), saved.seal) { last, transaction in
      try transaction.rows(
        "SELECT seq, row, rest FROM recording_row WHERE recording = ? AND seq > ? ORDER BY seq LIMIT ?", saved.number, last,
        Self.stride)
    }
  }

  /// The saved log of a device as it is compared; throws `Problem` if it has too many rows.
  func compared(logOf owner: EvidenceOwner, name: String) async throws -> ComparedRecording {
    let seal = EvidenceSeal(key: store.key, device: owner)
    return try await compared(ComparedRecording(name), seal) { last, transaction in
      guard let device = try EvidenceDevice.fetch(owner, transaction) else { return [] }
      return try transaction.rows(
        "SELECT seq, row, rest FROM log_row WHERE device = ? AND seq > ? ORDER BY seq LIMIT ?", device.id,
        max(last, device.clearedThrough), Self.stride)
    }
  }

  /// Adds the rows that `read` gives after a position, until there are no more.
  private func compared(
    _ empty: ComparedRecording, _ seal: EvidenceSeal,
    _ read: @escaping @Sendable (RowSequence, any StorageTransaction) throws -> [StorageRow]
  ) async throws -> ComparedRecording {
    var recording = empty
    var last: RowSequence = 0
    while true {
      try Task.checkCancellation()
      let (attempts, cursor) = try await store.storage.read { [last] transaction -> ([NetworkRowDetail], RowSequence?) in
        let rows = try read(last, transaction)
        return (try rows.compactMap { try seal.attempt($0) }, try rows.last?.seq)
      }
      guard let cursor else { return recording }
      guard recording.attemptCount + attempts.count <= Self.comparisonLimit else { throw Problem.tooManyRowsToCompare }
      for attempt in attempts { recording.add(attempt) }
      last = cursor
    }
  }
}

extension Problem {
  static let tooManyRowsToCompare = Problem(
    .payloadTooLarge, "At most \(RecordingStore.comparisonLimit) rows of each log are compared.")
}
