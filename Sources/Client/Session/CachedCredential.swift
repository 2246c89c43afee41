import Locking

/// The credential of a session in which nothing is going on, read without a turn of its controller.
///
/// The controller takes it away with each change of its machine, before anything follows from that, and gives it again in a later
/// turn of its own, when the change is committed and published. Who finds none asks the controller.
final class CachedCredential: Sendable {
  private struct State {
    var credential: Credential
    /// From when on the controller must be asked; nil for never.
    var until: ContinuousClock.Instant?
  }

  private let state = Locked<State?>(nil)

  /// Gives the credential, or takes it away.
  func set(_ cached: (credential: Credential, until: ContinuousClock.Instant?)?) {
    state.withLock { $0 = cached.map { State(credential: $0.credential, until: $0.until) } }
  }

  /// The credential of the session `epoch`, nil for whichever; nil where the controller must be asked.
  func credential(epoch: UInt64?, now: ContinuousClock.Instant) -> Credential? {
    state.withLock { state in
      guard let state, epoch == nil || epoch == state.credential.stamp.epoch else { return nil }
      if let until = state.until, now >= until { return nil }
      return state.credential
    }
  }

  /// Whether the session is that of `epoch` for certain.
  func isOf(epoch: UInt64) -> Bool { state.withLock { $0?.credential.stamp.epoch == epoch } }
}
