import COpenSSL
import Locking

/// A session ticket key: a public name, a cipher key and a MAC key.
///
/// `@unchecked Sendable`: its memory does not change after `init` and is wiped in `deinit`.
final class TicketKey: @unchecked Sendable {
  /// The length of a name in bytes.
  static let nameSize = 16
  private static let size = nameSize + 64

  /// The name, with which tickets begin.
  let name: UnsafeMutablePointer<UInt8>
  /// When the key was created.
  let made: ContinuousClock.Instant

  /// A random key; nil if no randomness is available.
  init?(made: ContinuousClock.Instant) {
    name = .allocate(capacity: Self.size)
    self.made = made
    guard RAND_bytes(name, Int32(Self.size)) == 1 else { return nil }
  }

  deinit {
    OPENSSL_cleanse(name, Self.size)
    name.deallocate()
  }

  /// 32 bytes of cipher key, then 32 bytes of MAC key.
  var secret: UnsafeMutablePointer<UInt8> { name + Self.nameSize }

  /// Whether this key has the name of a ticket.
  func isNamed(_ other: UnsafeRawBufferPointer) -> Bool {
    other.elementsEqual(UnsafeRawBufferPointer(start: name, count: Self.nameSize))
  }
}

/// The current session ticket key and the one before: a stolen key decrypts two hours of sessions at most.
final class TicketKeyRing: Sendable {
  private struct State: Sendable {
    var current: TicketKey
    var previous: TicketKey?
  }

  /// How long a key encrypts tickets, and then how long it still decrypts them.
  private static let period = Duration.seconds(3600)

  private let now: @Sendable () -> ContinuousClock.Instant
  private let state: Locked<State>

  /// A ring with one new key; nil if no randomness is available.
  init?(now: @escaping @Sendable () -> ContinuousClock.Instant) {
    self.now = now
    guard let key = TicketKey(made: now()) else { return nil }
    state = Locked(State(current: key))
  }

  /// The key for a new ticket; nil if a new key is due and no randomness is available.
  func sealing() -> (key: TicketKey, isCurrent: Bool)? {
    let time = now()
    return state.withLock { Self.rotate(&$0, time) ? ($0.current, true) : nil }
  }

  /// The key with this name, unless it has expired.
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
    // After two idle hours, the last key must not decrypt tickets either.
    state = State(current: next, previous: age < period * 2 ? state.current : nil)
    return true
  }
}
