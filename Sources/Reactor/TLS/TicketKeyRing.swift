import COpenSSL
import Locking

/// One key of session tickets: a public name, a cipher key and a MAC key.
///
/// Unchecked: it owns memory that is not changed after `init` and is wiped in `deinit`.
final class TicketKey: @unchecked Sendable {
  /// Bytes of a name.
  static let nameSize = 16
  private static let size = nameSize + 64

  /// What a ticket begins with.
  let name: UnsafeMutablePointer<UInt8>
  /// When it was made.
  let made: ContinuousClock.Instant

  /// A random key; nil where there is no randomness.
  init?(made: ContinuousClock.Instant) {
    name = .allocate(capacity: Self.size)
    self.made = made
    guard RAND_bytes(name, Int32(Self.size)) == 1 else { return nil }
  }

  deinit {
    OPENSSL_cleanse(name, Self.size)
    name.deallocate()
  }

  /// 32 bytes of cipher key, then 32 of MAC key.
  var secret: UnsafeMutablePointer<UInt8> { name + Self.nameSize }

  /// Whether a ticket's name is this key's.
  func isNamed(_ other: UnsafeRawBufferPointer) -> Bool {
    other.elementsEqual(UnsafeRawBufferPointer(start: name, count: Self.nameSize))
  }
}

/// The key that session tickets are sealed with, and the one before it: a stolen key opens two hours of sessions at most.
final class TicketKeyRing: Sendable {
  private struct State: Sendable {
    var current: TicketKey
    var previous: TicketKey?
  }

  /// How long a key seals, and then still opens.
  private static let period = Duration.seconds(3600)

  private let now: @Sendable () -> ContinuousClock.Instant
  private let state: Locked<State>

  /// A ring with one fresh key; nil where there is no randomness.
  init?(now: @escaping @Sendable () -> ContinuousClock.Instant) {
    self.now = now
    guard let key = TicketKey(made: now()) else { return nil }
    state = Locked(State(current: key))
  }

  /// The key for a new ticket; nil where a new one is due and there is no randomness.
  func sealing() -> (key: TicketKey, isCurrent: Bool)? {
    let time = now()
    return state.withLock { Self.rotate(&$0, time) ? ($0.current, true) : nil }
  }

  /// The key of that name, unless it is too old.
  func opening(_ name: UnsafeRawBufferPointer) -> (key: TicketKey, isCurrent: Bool)? {
    let time = now()
    return state.withLock { state in
      guard Self.rotate(&state, time) else { return nil }
      if state.current.isNamed(name) { return (state.current, true) }
      return state.previous.flatMap { $0.isNamed(name) ? ($0, false) : nil }
    }
  }

  private static func rotate(_ state: inout State, _ time: ContinuousClock.Instant) -> Bool {
    let age = time - state.current.made
    guard age >= period else { return true }
    guard let next = TicketKey(made: time) else { return false }
    // After two quiet hours not even the last key may open anything.
    state = State(current: next, previous: age < period * 2 ? state.current : nil)
    return true
  }
}
