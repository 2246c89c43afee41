/// The outbox of one user with what is kept of it: a change of it is on disk before anything follows from it.
package struct PersistentOutbox: Sendable {
  package let userID: String
  package private(set) var state: Outbox
  private let keep: @Sendable ([CueChange]) throws(CueStoreError) -> Void

  /// Makes the ledger of the edits that were kept; `keep` keeps the changes of one event, all or none.
  package init(userID: String, edits: [CueEdit], keep: @escaping @Sendable ([CueChange]) throws(CueStoreError) -> Void) {
    self.userID = userID
    self.keep = keep
    state = Outbox(edits: edits)
  }

  /// Reads the user's edits from the store; throws where they cannot be read.
  package init(store: CueStore, userID: String) throws(CueStoreError) {
    self.init(userID: userID, edits: try store.edits(userID: userID)) { changes throws(CueStoreError) in
      try store.apply(changes, userID: userID)
    }
  }

  /// Lets the outbox handle an event and keeps what changed; throws, with everything as it was, where that cannot be kept.
  package mutating func handle(
    _ event: Outbox.Event, now: ContinuousClock.Instant, random: Double
  ) throws(CueStoreError) -> [Outbox.Action] {
    var next = state
    let actions = next.handle(event, now: now, random: random)
    try keep(
      actions.compactMap { action -> CueChange? in
        if case .save(let change) = action { change } else { nil }
      })
    state = next
    return actions
  }
}
