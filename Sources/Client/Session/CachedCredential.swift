import Locking

/// The current credential of a session without a refresh or failure, readable without entering the controller.
///
/// The controller clears it with each change of its state, before the change has any effect, and sets it again in a later turn,
/// once the change is committed and published. If it is nil, callers use the controller.
final class CachedCredential: Sendable {
  private struct State {
    var credential: SessionCredential
    /// When callers must use the controller again; nil for never.
    var until: ContinuousClock.Instant?
  }

  private let state = Locked<State?>(nil)

  /// Sets or clears the credential.
  func set(_ cached: (credential: SessionCredential, until: ContinuousClock.Instant?)?) {
    state.withLock { $0 = cached.map { State(credential: $0.credential, until: $0.until) } }
  }

  /// The credential of session `epoch` (nil: any session); nil if the caller must use the controller.
  func credential(epoch: UInt64?, now: ContinuousClock.Instant) -> SessionCredential? {
    state.withLock { state in
      guard let state, epoch == nil || epoch == state.credential.stamp.epoch else { return nil }
      if let until = state.until, now >= until { return nil }
      return state.credential
    }
  }

  /// Whether the session is certainly that of `epoch`.
  func isOf(epoch: UInt64) -> Bool { state.withLock { $0?.credential.stamp.epoch == epoch } }
}
