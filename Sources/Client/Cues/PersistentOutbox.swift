/// One user's outbox with its storage: each change is on disk before its actions are returned.
package struct PersistentOutbox: Sendable {
  package let userID: String
  package private(set) var state: Outbox
  /// Edits that may be stored although saving them failed, such as when the connection was lost during the commit.
  private var doubtful: [CueEdit] = []
  private let keep: @Sendable ([CueChange]) throws(CueStoreError) -> Void

  /// Creates an outbox with the stored edits; `keep` saves the changes of one event, all or none.
  package init(
    userID: String, edits: [CueEdit], backoff: Backoff = .standard,
    keep: @escaping @Sendable ([CueChange]) throws(CueStoreError) -> Void
  ) {
    self.userID = userID
    self.keep = keep
    state = Outbox(edits: edits, backoff: backoff)
  }

  /// Reads the user's edits from the store.
  package init(store: CueStore, userID: String, backoff: Backoff) throws(CueStoreError) {
    self.init(userID: userID, edits: try store.edits(userID: userID), backoff: backoff) { changes throws(CueStoreError) in
      try store.apply(changes, userID: userID)
    }
  }

  /// Handles an event and saves the changes; throws, without a change, if they cannot be saved.
  ///
  /// An edit that was reported as failed is never sent later, over a newer one: the next change removes its possible copy in the
  /// store.
  package mutating func handle(
    _ event: Outbox.Event, now: ContinuousClock.Instant, random: Double
  ) throws(CueStoreError) -> [Outbox.Action] {
    var next = state
    let actions = next.handle(event, now: now, random: random)
    let changes = actions.compactMap { action -> CueChange? in
      if case .save(let change) = action { change } else { nil }
    }
    do throws(CueStoreError) { try keep(doubtful.map(CueChange.remove) + changes) } catch {
      doubtful += changes.compactMap { if case .insert(let edit) = $0 { edit } else { nil } }
      throw error
    }
    (state, doubtful) = (next, [])
    return actions
  }
}
