/// One user's outbox with its storage: a change is on disk before anything follows from it.
package struct PersistentOutbox: Sendable {
  package let userID: String
  package private(set) var state: Outbox
  private let keep: @Sendable ([CueChange]) throws(CueStoreError) -> Void

  /// Creates an outbox with the stored edits; `keep` saves the changes of one event, all or none.
  package init(userID: String, edits: [CueEdit], keep: @escaping @Sendable ([CueChange]) throws(CueStoreError) -> Void) {
    self.userID = userID
    self.keep = keep
    state = Outbox(edits: edits)
  }

  /// Reads the user's edits from the store.
  package init(store: CueStore, userID: String) throws(CueStoreError) {
    self.init(userID: userID, edits: try store.edits(userID: userID)) { changes throws(CueStoreError) in
      try store.apply(changes, userID: userID)
    }
  }

  /// Handles an event and saves the changes; throws, without a change, if they cannot be saved.
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
