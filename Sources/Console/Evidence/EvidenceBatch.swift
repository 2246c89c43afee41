import Client
import Observability

/// What a device recorded since it was last saved.
struct EvidenceBatch: Sendable {
  let owner: EvidenceOwner
  /// Changed attempts; a later one replaces an earlier one with the same `seq`.
  let attempts: [NetworkRowDetail]
  /// The `seq` of the next attempt.
  let next: RowSequence
  let timeline: [TimelineEntry]
  /// The fault rules; nil if they did not change.
  let faults: [SavedFault]?
  /// Whether more may follow.
  let isAwake: Bool
}
