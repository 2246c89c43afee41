import Client
import JSON
import Observability

/// A batch as it is stored.
struct SealedBatch: Sendable {
  /// The most entries of a timeline.
  static let timelineLimit: UInt64 = 1000

  let owner: SavedLogOwner
  let attempts: [SealedAttempt]
  /// The rows' searchable text; nil if there are no rows.
  let text: SealedText?
  let next: RowSequence
  let timeline: [(seq: RowSequence, sealed: [UInt8])]
  let faults: [UInt8]?
  let isAwake: Bool

  init(_ batch: SavedLogBatch, _ seal: SavedLogSeal) {
    owner = batch.owner
    attempts = batch.attempts.map { SealedAttempt($0, seal) }
    text = SearchText(batch.attempts.lazy.map(\.row)).map { SealedText($0, seal) }
    next = batch.next
    timeline = batch.timeline.compactMap { entry in
      guard let document = try? JSONCoding.encode(entry) else { return nil }
      return (entry.seq, seal.seal(document, .timeline, entry.seq))
    }
    faults = batch.faults.flatMap { try? JSONCoding.encode($0, keys: .snakeCase) }.map { seal.seal($0, .faults) }
    isAwake = batch.isAwake
  }
}

/// The searchable text of a batch as it is stored.
struct SealedText: Sendable {
  let first: RowSequence
  let last: RowSequence
  let sealed: [UInt8]

  init(_ text: SearchText, _ seal: SavedLogSeal) {
    first = text.first
    last = text.last
    sealed = seal.seal(text.document, .text, text.last)
  }
}

/// An attempt as it is stored: the columns of filters, and the sealed documents.
struct SealedAttempt: Sendable {
  let seq: RowSequence
  let id: String
  /// In milliseconds since 1970.
  let startedAt: Int64
  let method: String
  let endpoint: String
  let flow: String
  let status: Int?
  let isPinned: Bool
  let row: [UInt8]
  /// Nil if only the row changed.
  let rest: [UInt8]?

  init(_ attempt: NetworkRowDetail, _ seal: SavedLogSeal) {
    let stored = StoredAttempt(attempt)
    let row = attempt.row
    seq = row.seq
    id = row.id
    startedAt = row.startedAt.milliseconds
    method = row.method.uppercased().column
    endpoint = row.endpoint.column
    flow = row.flow.column
    status = row.status
    isPinned = row.isPinned
    self.row = seal.seal(stored.row, .row, row.seq)
    rest = stored.rest.map { seal.seal($0, .rest, row.seq) }
  }
}

extension String {
  /// The most bytes of a column that filters compare, because an index of PostgreSQL takes no long ones.
  private static let columnLimit = 500

  /// The text as a column has it: its beginning, and with U+FFFD for U+0000, which PostgreSQL cannot store.
  var column: String {
    guard utf8.count > Self.columnLimit || utf8.contains(0) else { return self }
    let start = String(decoding: utf8.prefix(Self.columnLimit), as: UTF8.self)
    return String(String.UnicodeScalarView(start.unicodeScalars.map { $0 == "\0" ? "\u{FFFD}" : $0 }))
  }
}

/// A device's records since the last save.
struct SavedLogBatch: Sendable {
  let owner: SavedLogOwner
  /// Changed attempts; a later one replaces an earlier one with the same `seq`.
  let attempts: [NetworkRowDetail]
  /// The `seq` of the next attempt.
  let next: RowSequence
  let timeline: [TimelineEntry]
  /// The fault rules; nil if they did not change.
  let faults: [FaultEntry]?
  /// Whether more may follow.
  let isAwake: Bool
}
