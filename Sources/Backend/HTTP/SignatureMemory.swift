import Locking
import Vault

/// The signatures of the calls that passed, each kept for as long as its nonce would pass again: none is good twice.
///
/// A signature covers neither the query nor the token, so two devices that read the same path in the same second send the same one.
/// What is remembered is therefore the signature together with what tells their calls apart: see ``Key``. If the machine's clock is
/// set back, signatures from the time that comes again are forgotten.
final class SignatureMemory: Sendable {
  /// A signature with its sender: the first 128 bits of a SHA-256.
  struct Key: Hashable, Sendable {
    private let high: UInt64
    private let low: UInt64

    /// Names the use of a signature: by its token if it has one; else, for a call that reads, by its device; else by itself alone.
    init(signature: String, authorization: String?, isRead: Bool, deviceID: String?) {
      let sender = authorization.map { "token \($0)" } ?? (isRead ? "device \(deviceID ?? "")" : "")
      let digest = SHA256Digest.hash(Array("\(signature) \(sender)".utf8))
      func word(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
      (high, low) = (word(digest.prefix(8)), word(digest.dropFirst(8).prefix(8)))
    }
  }

  /// What becomes of a use.
  enum Verdict: Equatable, Sendable {
    /// It is the first.
    case fresh
    /// There was one before.
    case repeated
    /// So much is remembered that no more can be.
    case full
  }

  private struct State {
    /// By the minute of their nonces, so that what has run out goes at once.
    var minutes: [Int64: Set<Key>] = [:]
    var count = 0
    var prunedAt = Int64.min
  }

  /// How many are remembered at most; a call beyond it waits for some to run out.
  static let capacity = 1_000_000

  private let capacity: Int
  private let window: Int64
  private let state = Locked(State())

  /// A memory of signatures whose nonces are good for `window` seconds before and after.
  init(window: Int64 = Lifetimes.signatureWindow, capacity: Int = SignatureMemory.capacity) {
    (self.window, self.capacity) = (window, capacity)
  }

  /// How many are remembered.
  var count: Int { state.withLock { $0.count } }

  /// Notes a use of a signature whose nonce is good at `now`; both in unix seconds.
  func take(_ key: Key, nonce: Int64, now: Int64) -> Verdict {
    state.withLock { state in
      prune(&state, now: now)
      let minute = nonce / 60
      if state.minutes[minute]?.contains(key) == true { return .repeated }
      guard state.count < capacity else { return .full }
      state.minutes[minute, default: []].insert(key)
      state.count += 1
      return .fresh
    }
  }

  /// Forgets, once a minute, nonces that have run out, and those that only a clock that was set back could have let in.
  private func prune(_ state: inout State, now: Int64) {
    guard now / 60 != state.prunedAt else { return }
    state.prunedAt = now / 60
    for (minute, keys) in state.minutes where minute * 60 + 60 + window <= now || minute * 60 > now + 2 * window {
      state.minutes[minute] = nil
      state.count -= keys.count
    }
  }
}
