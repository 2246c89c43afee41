/// The outbox of one user with what is kept of it: a change of it is on disk before anything follows from it.
package struct OutboxLedger: Sendable {
  package let userID: String
  package private(set) var outbox: Outbox
  private let store: CueStore

  /// Reads the user's edits; throws where they cannot be read.
  package init(store: CueStore, userID: String) throws(CueStoreError) {
    self.store = store
    self.userID = userID
    outbox = Outbox(edits: try store.edits(userID: userID))
  }

  /// Lets the outbox handle an event and keeps what changed; throws, with everything as it was, where that cannot be kept.
  package mutating func handle(
    _ event: Outbox.Event, now: ContinuousClock.Instant, random: Double
  ) throws(CueStoreError) -> [Outbox.Action] {
    var next = outbox
    let actions = next.handle(event, now: now, random: random)
    let changes = actions.compactMap { action -> CueChange? in
      if case .save(let change) = action { change } else { nil }
    }
    try store.apply(changes, userID: userID)
    outbox = next
    return actions
  }
}
