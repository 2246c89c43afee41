package import RPC

extension Outbox {
  /// What the outbox hears of.
  package enum Event: Sendable {
    /// A session of the user is there to send with.
    case open
    /// The session is over; the edits stay.
    case close
    /// The user gives all edits up.
    case discard
    /// The user moves a cue, whose kept version of the backend is `cue`; `id` and `key` are new UUIDs.
    case edit(id: String, key: String, cue: CueBody, stage: RPC.CueStage)
    /// The backend was reached, or the user asks: no reason to wait for connectivity any longer.
    case wake
    /// The time that was waited for has come.
    case timer
    /// The backend's cues were fetched.
    case fetched([CueBody])
    /// What became of a request; `newKey` is a new UUID for the case that the edit goes out with another body.
    case result(id: String, key: String, Outcome, newKey: String)
  }

  /// How a request ended, as far as the outbox cares.
  package enum Outcome: Hashable, Sendable {
    /// The backend has it.
    case applied(CueBody)
    /// The backend holds another version, which it may have told.
    case conflict(CueBody?)
    /// The backend does not know the cue.
    case gone
    /// The backend will not take this edit, however often it is sent.
    case refused
    /// The backend knows the key with another body, as after a change of how bodies are written.
    case keyConflict
    /// The backend was not reached, or its answer was lost.
    case offline
    /// The backend cannot take it now; whole seconds that it asks for.
    case busy(retryAfterSeconds: Int?)
    /// Nothing went out, as the session is over.
    case sessionOver
  }

  /// What became of an edit, for whoever waits for it.
  package enum Resolution: Hashable, Sendable {
    case applied, conflict, gone, refused
  }

  /// What the shell has to do, in order; `save` of all before anything else of any.
  package enum Action: Hashable, Sendable {
    case save(CueChange)
    case send(CueEdit)
    /// Ask again with `timer` at that instant; replaces what was asked before.
    case wait(until: ContinuousClock.Instant)
    case resolve(CueEdit, Resolution)
  }

  /// What the outbox is doing.
  package enum Mode: Hashable, Sendable {
    /// No session of the user is there.
    case closed
    /// Nothing can be sent.
    case idle
    case sending(id: String)
    case waiting(until: ContinuousClock.Instant, isOffline: Bool)
  }
}
