import Locking
import Wire

/// A source of server-sent events with a bounded history that doubles as every subscriber's queue.
///
/// An event is encoded once. The history has a limit of events and one of bytes: the oldest go until the newest fits, and one event
/// above the limit of bytes goes as well. A subscriber that is slower than the history is long, or resumes from before it, gets a
/// `gap` event instead of what was lost. Ids are `<epoch>-<seq>`; `seq` counts from 1.
package final class EventChannel: Sendable {
  private struct State {
    var ring: [[UInt8]] = []
    var bytes = 0
    var nextSequence: UInt64 = 1
    /// The first event that is remembered; the next one where none is.
    var oldest: UInt64 = 1
    var nextSubscriber: UInt64 = 1
    var wakes: [UInt64: (@Sendable () -> Void)?] = [:]
    var isClosed = false
  }

  /// What a subscriber finds.
  enum TakeResult: Equatable, Sendable {
    /// Events as bytes, at least one.
    case events([UInt8])
    /// Nothing new.
    case none
    /// The channel is closed and all was taken.
    case closed
  }

  /// Where a subscriber stands.
  struct Cursor: Equatable, Sendable {
    /// The next event it wants.
    var sequence: UInt64
    /// The first event that it missed without knowing how many, where it comes from another epoch.
    var isForeign = false
  }

  /// Sets this run's ids apart from those of any other.
  package let epoch: String
  /// After so much silence a `heartbeat` event is sent.
  package let heartbeat: Duration
  /// How many events it remembers.
  package let capacity: Int
  /// How many bytes the events that it remembers may have.
  package let byteCapacity: Int
  private let state = Locked(State())

  /// A channel that remembers the last `capacity` events, or fewer with `byteCapacity` bytes; `epoch` must not contain control
  /// characters.
  package init(epoch: String, capacity: Int = 1024, byteCapacity: Int = 4 << 20, heartbeat: Duration = .seconds(10)) {
    (self.epoch, self.capacity, self.byteCapacity, self.heartbeat) = (epoch, max(capacity, 1), byteCapacity, heartbeat)
  }

  /// Sends an event to every subscriber and returns its number; nothing happens once the channel is closed.
  ///
  /// `data` is UTF-8, JSON as a rule.
  @discardableResult
  package func publish(_ event: String, data: [UInt8]) -> UInt64 {
    let (sequence, wakes) = state.withLock { state -> (UInt64, [(@Sendable () -> Void)?]) in
      guard !state.isClosed else { return (state.nextSequence - 1, []) }
      let sequence = state.nextSequence
      state.nextSequence += 1
      let bytes = ServerSentEvent(id: id(sequence), event: event, data: data).encode()
      if sequence - state.oldest >= UInt64(capacity) { dropOldest(&state) }
      if state.ring.count < capacity {
        state.ring.append(bytes)
      } else {
        state.ring[slot(sequence)] = bytes
      }
      state.bytes += bytes.count
      while state.bytes > byteCapacity { dropOldest(&state) }
      return (sequence, Array(state.wakes.values))
    }
    for wake in wakes { wake?() }
    return sequence
  }

  /// Begins to listen: after the event of that id, or from now on where `after` is nil.
  package func subscribe(after: String?) -> EventSubscription {
    state.withLock { state in
      defer { state.nextSubscriber += 1 }
      state.wakes[state.nextSubscriber] = .some(nil)
      return EventSubscription(channel: self, number: state.nextSubscriber, cursor: cursor(after, state.nextSequence))
    }
  }

  /// Ends every stream once it has sent what was published.
  package func close() {
    let wakes = state.withLock { state in
      state.isClosed = true
      return Array(state.wakes.values)
    }
    for wake in wakes { wake?() }
  }

  /// How many subscriptions are open.
  package var subscriberCount: Int { state.withLock { $0.wakes.count } }

  /// How many events it remembers now.
  package var heldCount: Int { state.withLock { Int($0.nextSequence - $0.oldest) } }
  /// How many bytes they have.
  package var heldBytes: Int { state.withLock { $0.bytes } }

  /// The id of an event.
  package func id(_ sequence: UInt64) -> String { "\(epoch)-\(sequence)" }

  func setWake(_ number: UInt64, _ wake: @escaping @Sendable () -> Void) {
    state.withLock { if $0.wakes[number] != nil { $0.wakes[number] = wake } }
  }

  func remove(_ number: UInt64) {
    state.withLock { $0.wakes[number] = nil }
  }

  /// Gathers what lies after the cursor, at most about `limit` bytes, and moves it.
  func take(_ cursor: inout Cursor, upTo limit: Int) -> TakeResult {
    state.withLock { state in
      var bytes: [UInt8] = []
      let oldest = state.oldest
      if cursor.isForeign || cursor.sequence < oldest {
        let missed = cursor.isForeign ? "null" : "\(oldest - cursor.sequence)"
        let from = cursor.isForeign ? "null" : "\"\(id(cursor.sequence))\""
        // A client that resumes from the gap continues behind it.
        let resume = cursor.isForeign ? state.nextSequence : oldest
        let data = "{\"missed\":\(missed),\"from\":\(from),\"to\":\"\(id(resume - 1))\"}"
        bytes += ServerSentEvent(id: id(resume - 1), event: "gap", data: Array(data.utf8)).encode()
        cursor = Cursor(sequence: resume)
      }
      while cursor.sequence < state.nextSequence, bytes.count < limit {
        bytes += state.ring[slot(cursor.sequence)]
        cursor.sequence += 1
      }
      if !bytes.isEmpty { return .events(bytes) }
      return state.isClosed ? .closed : .none
    }
  }

  private func dropOldest(_ state: inout State) {
    let slot = slot(state.oldest)
    state.bytes -= state.ring[slot].count
    state.ring[slot] = []
    state.oldest += 1
  }

  private func slot(_ sequence: UInt64) -> Int { Int((sequence - 1) % UInt64(capacity)) }

  private func cursor(_ after: String?, _ next: UInt64) -> Cursor {
    guard let after else { return Cursor(sequence: next) }
    let prefix = Array((epoch + "-").utf8)
    let text = Array(after.utf8)
    let digits = text.dropFirst(prefix.count)
    guard text.starts(with: prefix), !digits.isEmpty, digits.count <= 18, digits.allSatisfy(ByteClass.isDigit) else {
      return Cursor(sequence: next, isForeign: true)
    }
    let sequence = digits.reduce(0) { $0 * 10 + UInt64($1 &- 0x30) }
    return sequence < next ? Cursor(sequence: sequence + 1) : Cursor(sequence: next, isForeign: true)
  }
}
