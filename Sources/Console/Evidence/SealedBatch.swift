import FoundationEssentials
import JSON
import Observability

/// A batch as it is stored.
struct SealedBatch: Sendable {
  /// The most entries of a timeline.
  static let timelineLimit: Int64 = 1000

  let owner: EvidenceOwner
  let attempts: [SealedAttempt]
  /// What searches need of them; nil if there are none.
  let text: SealedText?
  let next: UInt64
  let timeline: [(seq: Int64, sealed: Data)]
  let faults: Data?
  let isAwake: Bool

  init(_ batch: EvidenceBatch, _ seal: EvidenceSeal) {
    owner = batch.owner
    attempts = batch.attempts.map { SealedAttempt($0, seal) }
    text = SearchText(batch.attempts.lazy.map(\.row)).map { SealedText($0, seal) }
    next = batch.next
    timeline = batch.timeline.compactMap { entry in
      guard let document = try? JSONCoding.encode(entry) else { return nil }
      return (Int64(clamping: entry.seq), Data(seal.seal(document, .timeline, entry.seq)))
    }
    faults = batch.faults.flatMap { try? JSONCoding.encode($0, keys: .snakeCase) }.map { Data(seal.seal($0, .faults)) }
    isAwake = batch.isAwake
  }
}

/// The searchable text of a batch as it is stored.
struct SealedText: Sendable {
  let first: Int64
  let last: Int64
  let sealed: Data

  init(_ text: SearchText, _ seal: EvidenceSeal) {
    (first, last) = (Int64(clamping: text.first), Int64(clamping: text.last))
    sealed = Data(seal.seal(text.document, .text, text.last))
  }
}

/// An attempt as it is stored: what filters need, and the sealed documents.
struct SealedAttempt: Sendable {
  let seq: Int64
  let id: String
  /// In milliseconds since 1970.
  let startedAt: Int64
  let method: String
  let endpoint: String
  let flow: String
  let status: Int?
  let isPinned: Bool
  let row: Data
  /// Nil if only the row changed.
  let rest: Data?

  init(_ attempt: NetworkRowDetail, _ seal: EvidenceSeal) {
    let stored = StoredAttempt(attempt)
    let row = attempt.row
    seq = Int64(clamping: row.seq)
    id = row.id
    startedAt = row.startedAt.milliseconds
    (method, endpoint, flow, status, isPinned) = (row.method.uppercased(), row.endpoint, row.flow, row.status, row.isPinned)
    self.row = Data(seal.seal(stored.row, .row, row.seq))
    rest = stored.rest.map { Data(seal.seal($0, .rest, row.seq)) }
  }
}
