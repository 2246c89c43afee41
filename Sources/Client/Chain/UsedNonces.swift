import Locking

/// The signatures that a device sent lately: a backend takes each once, and equal calls of the same second would have the same one.
///
/// So a call whose signature is used already goes under the next free second, a little before or after. If all of them are used,
/// which takes hundreds of equal calls within minutes, it goes out under its own second as it would without this memory.
final class UsedNonces: Sendable {
  private struct State {
    /// By the minute of their nonces: each signature with how many steps from it were tried.
    var minutes: [Int64: [UInt64: Int]] = [:]
    var count = 0
  }

  /// How far from the right second a nonce may be; the backend takes 300 s, and clocks differ.
  static let reach: Int64 = 240
  /// How many signatures are remembered; beyond it those of the oldest minute go.
  static let capacity = 8192

  private let state = Locked(State())

  /// How many signatures are remembered.
  var count: Int { state.withLock { $0.count } }

  /// Finds a nonce near `wanted` whose signature, as `sign` makes it, was not used with this token, and marks it used.
  ///
  /// `now` is the time on the backend's clock without a fault's skew. Returns the nonce and its signature.
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

  /// 1, -1, 2, -2 and so on.
  private static func offset(_ step: Int) -> Int64 { step.isMultiple(of: 2) ? -Int64(step / 2) : Int64(step / 2 + 1) }

  /// The first bytes of a signature tell it from all others here; where they do not, a nonce more is passed over.
  private static func key(_ signature: [UInt8], _ salt: UInt64) -> UInt64 {
    signature.prefix(8).reduce(0) { $0 << 8 | UInt64($1) } ^ salt
  }

  private static func insert(_ key: UInt64, minute: Int64, now: Int64, into state: inout State) {
    if state.minutes[minute] == nil || state.count >= capacity { prune(&state, now: now) }
    state.minutes[minute, default: [:]][key] = 0
    state.count += 1
  }

  /// Forgets what no nonce of now or later can repeat, and the oldest minute if that is too little.
  private static func prune(_ state: inout State, now: Int64) {
    for minute in state.minutes.keys where (minute * 60 - now).magnitude > 600 { drop(minute, from: &state) }
    while state.count >= capacity, let oldest = state.minutes.keys.min() { drop(oldest, from: &state) }
  }

  private static func drop(_ minute: Int64, from state: inout State) {
    state.count -= state.minutes.removeValue(forKey: minute)?.count ?? 0
  }
}
