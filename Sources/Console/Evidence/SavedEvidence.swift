package import Client
package import Observability

/// What was saved for a device.
package struct SavedEvidence: Sendable {
  /// The newest attempts and the older pinned ones, oldest first.
  package var attempts: [NetworkRowDetail] = []
  /// How many attempts are saved before these.
  package var older: UInt64 = 0
  /// The `seq` of the next attempt.
  package var next: RowSequence = 1
  package var gaps: [NetworkGap] = []
  package var timeline: [TimelineEntry] = []
  package var faults: [SavedFault] = []
  package init() {}
}
