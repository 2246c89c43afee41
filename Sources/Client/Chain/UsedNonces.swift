import Locking

/// The signatures that a device sent recently: a backend accepts each one once, and equal calls within a second would have
/// equal signatures.
///
/// A call whose signature was used already is signed with the next free second, a little earlier or later. If all of them are
/// used, which takes hundreds of equal calls within minutes, it is signed with its own second anyway.
package final class UsedNonces: Sendable {
  private struct State {
    /// For each minute of nonces: each signature with the number of steps tried from it.
    var minutes: [Int64: [UInt64: Int]] = [:]
    var count = 0
  }

  /// The largest offset of a nonce, in seconds; the backend accepts 300 s, and clocks differ.
  static let reach: Int64 = 240
  /// The number of signatures remembered; beyond it, those of the oldest minute are dropped.
  static let capacity = 8192

  private let state = Locked(State())

  package init() {}

  /// The number of signatures remembered.
  var count: Int { state.withLock { $0.count } }

  /// Finds a nonce near `wanted` whose signature was not used with this token, and marks it as used.
  ///
  /// `now` is the time on the backend's clock without a fault rule's skew. Returns the nonce and its signature.
  func take(
    near wanted: Int64, now: Int64, token: String?, sign: (Int64) -> [UInt8]
  ) -> (nonce: Int64, signature: [UInt8]) {
    let salt = token.map { UInt64(bitPattern: Int64($0.hashValue)) } ?? 0
    let first = sign(wanted)
    let base = Self.key(first, salt)
    return state.withLock { state in
      guard let tried = state.minutes[wanted / 60]?[base] else {
        Self.insert(base, minute: wanted / 60, now: now, into: &state)
        return (wanted, first)
      }
      for step in (tried + 1)...max(tried + 1, 2 * Int(Self.reach)) where step <= 2 * Int(Self.reach) {
        let nonce = wanted + Self.offset(step)
        let signature = sign(nonce)
        let key = Self.key(signature, salt)
        guard state.minutes[nonce / 60]?[key] == nil else { continue }
        state.minutes[wanted / 60]?[base] = step
        Self.insert(key, minute: nonce / 60, now: now, into: &state)
        return (nonce, signature)
      }
      state.minutes[wanted / 60]?[base] = 2 * Int(Self.reach)
      return (wanted, first)
    }
  }

  /// Returns 1, -1, 2, -2 and so on.
  private static func offset(_ step: Int) -> Int64 { step.isMultiple(of: 2) ? -Int64(step / 2) : Int64(step / 2 + 1) }

  /// The first 8 bytes identify a signature well enough: a collision only skips one nonce more.
  private static func key(_ signature: [UInt8], _ salt: UInt64) -> UInt64 {
    signature.prefix(8).reduce(0) { $0 << 8 | UInt64($1) } ^ salt
  }

  private static func insert(_ key: UInt64, minute: Int64, now: Int64, into state: inout State) {
    if state.minutes[minute] == nil || state.count >= capacity { prune(&state, now: now) }
    state.minutes[minute, default: [:]][key] = 0
    state.count += 1
  }

  /// Drops signatures that no nonce from now on can repeat, then the oldest minutes while there are too many.
  private static func prune(_ state: inout State, now: Int64) {
    for minute in state.minutes.keys where (minute * 60 - now).magnitude > 600 { drop(minute, from: &state) }
    while state.count >= capacity, let oldest = state.minutes.keys.min() { drop(oldest, from: &state) }
  }

  private static func drop(_ minute: Int64, from state: inout State) {
    state.count -= state.minutes.removeValue(forKey: minute)?.count ?? 0
  }
}
