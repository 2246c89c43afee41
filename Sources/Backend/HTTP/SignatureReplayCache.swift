import Locking
import Vault

/// The accepted signatures, each stored for as long as its nonce is valid, so that none is accepted twice.
///
/// A signature covers neither query nor token: two devices that read the same path in the same second send the same signature. The
/// cache therefore stores it together with its sender, see ``SignatureKey``. If the clock of the machine is set back, the signatures whose
/// nonces are then in the future are dropped.
final class SignatureReplayCache: SignatureReplays {
  private struct State {
    /// Grouped by the minute of the nonce, so that expired keys can be removed together.
    var minutes: [Int64: Set<SignatureKey>] = [:]
    var count = 0
    var prunedAt = Int64.min
  }

  /// The most keys that are stored.
  static let capacity = 1_000_000

  private let capacity: Int
  private let window: Int64
  private let state = Locked(State())

  /// Creates a cache for nonces that are valid from `window` seconds before to `window` seconds after their time.
  init(window: Int64 = Lifetimes.signatureWindow, capacity: Int = SignatureReplayCache.capacity) {
    (self.window, self.capacity) = (window, capacity)
  }

  var count: Int { state.withLock { $0.count } }

  /// Stores a key whose nonce is valid at `now`; both are Unix seconds.
  func insert(_ key: SignatureKey, nonce: Int64, now: Int64) -> SignatureOutcome {
    state.withLock { state in
      prune(&state, now: now)
      let minute = nonce / 60
      if state.minutes[minute]?.contains(key) == true { return .replayed }
      guard state.count < capacity else { return .full }
      state.minutes[minute, default: []].insert(key)
      state.count += 1
      return .inserted
    }
  }

  /// Removes, at most once a minute, nonces that have expired or that are in the future because the clock was set back.
  private func prune(_ state: inout State, now: Int64) {
    guard now / 60 != state.prunedAt else { return }
    state.prunedAt = now / 60
    for (minute, keys) in state.minutes where minute * 60 + 60 + window <= now || minute * 60 > now + 2 * window {
      state.minutes[minute] = nil
      state.count -= keys.count
    }
  }
}
