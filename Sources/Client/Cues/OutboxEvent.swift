package import RPC

extension Outbox {
  package enum Event: Sendable {
    /// The user has a session.
    case open
    /// The session is over; the edits stay.
    case close
    /// The user drops all edits.
    case discard
    /// The user changes the stage of a cue; `cue` is the backend's version, `id` and `key` are new UUIDs.
    case edit(id: String, key: String, cue: CueBody, stage: CueStage)
    /// The backend was reached, or the user asks: no reason to keep waiting for connectivity.
    case wake
    /// The wait is over.
    case timer
    /// The cues were fetched.
    case fetched([CueBody])
    /// The result of a request; `newKey` is a new UUID in case the edit is sent with another body.
    case result(id: String, key: String, Outcome, newKey: String)
  }

  /// How a request ended.
  package enum Outcome: Hashable, Sendable {
    /// The backend applied the edit.
    case applied(CueBody)
    /// The backend has another version, which it may have sent.
    case conflict(CueBody?)
    /// The backend does not have the cue.
    case gone
    /// The backend rejects the edit for good.
    case refused
    /// The backend has stored the key with another body, for example after a change of the encoding.
    case keyConflict
    /// The backend was not reached, or its response was lost.
    case offline
    /// The backend cannot process it now; whole seconds of `Retry-After`.
    case busy(retryAfterSeconds: Int?)
    /// Nothing was sent because the session is over.
    case sessionOver
  }

  /// The final result of an edit.
  package enum Resolution: Hashable, Sendable {
    case applied, conflict, gone, refused
  }

  /// An action for the caller, in order; all `save` actions come first.
  package enum Action: Hashable, Sendable {
    case save(CueChange)
    case send(CueEdit)
    /// Send `timer` at that instant; replaces an earlier wait.
    case wait(until: ContinuousClock.Instant)
    case resolve(CueEdit, Resolution)
  }

  package enum Mode: Hashable, Sendable {
    /// The user has no session.
    case closed
    /// There is nothing to send.
    case idle
    case sending(id: String)
    case waiting(until: ContinuousClock.Instant, isOffline: Bool)
  }
}
