import Locking
import Wire
import Text

/// A source of server-sent events with a bounded history, which also serves as every subscriber's queue.
///
/// Each event is encoded once. The history is limited by number and by bytes: old events are dropped until a new one fits, and an
/// event larger than the whole limit is dropped itself. A subscriber that falls behind the history, or resumes from before it,
/// receives a `gap` event instead of the missed ones. IDs are `<epoch>-<seq>`; `seq` counts from 1.
package final class EventChannel: Sendable {
  private struct State {
    var ring: [[UInt8]] = []
    var bytes = 0
    var nextSequence: UInt64 = 1
    /// The first event in the history; the next event if the history is empty.
    var oldest: UInt64 = 1
    var nextSubscriber: UInt64 = 1
    var wakes: [UInt64: (@Sendable () -> Void)?] = [:]
    var isClosed = false
  }

  /// The result of taking events.
  enum TakeResult: Equatable, Sendable {
    /// At least one encoded event.
    case events([UInt8])
    /// Nothing new.
    case none
    /// The channel is closed, and everything was received.
    case closed
  }

  /// The position of a subscriber.
  struct Cursor: Equatable, Sendable {
    /// The next event to receive.
    var sequence: UInt64
    /// Whether the subscriber resumes from another epoch, so that the number of missed events is unknown.
    var isForeign = false
  }

  /// Distinguishes the IDs of this run from those of any other.
  package let epoch: String
  /// A `heartbeat` event is sent after this time without events.
  package let heartbeat: Duration
  /// The most events in the history.
  package let capacity: Int
  /// The most bytes in the history.
  package let byteCapacity: Int
  private let state = Locked(State())

  /// A channel with a history of `capacity` events, or fewer if they exceed `byteCapacity`. `epoch` must not contain control
  /// characters.
  package init(epoch: String, capacity: Int = 1024, byteCapacity: Int = 4 << 20, heartbeat: Duration = .seconds(10)) {
    self.epoch = epoch
    self.capacity = max(capacity, 1)
    self.byteCapacity = byteCapacity
    self.heartbeat = heartbeat
  }

  /// Sends an event to every subscriber and returns its sequence number; does nothing if the channel is closed.
  ///
  /// `data` is UTF-8, usually JSON.
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

  /// Subscribes to the events after the one with the given ID, or to new events if `after` is nil.
  package func subscribe(after: String?) -> EventSubscription {
    state.withLock { state in
      defer { state.nextSubscriber += 1 }
      state.wakes[state.nextSubscriber] = .some(nil)
      return EventSubscription(channel: self, number: state.nextSubscriber, cursor: cursor(after, state.nextSequence))
    }
  }

  /// Ends every stream after it has sent the events published so far.
  package func close() {
    let wakes = state.withLock { state in
      state.isClosed = true
      return Array(state.wakes.values)
    }
    for wake in wakes { wake?() }
  }

  /// The number of open subscriptions.
  package var subscriberCount: Int { state.withLock { $0.wakes.count } }

  /// The number of events in the history.
  package var heldCount: Int { state.withLock { Int($0.nextSequence - $0.oldest) } }
  /// The number of bytes in the history.
  package var heldBytes: Int { state.withLock { $0.bytes } }

  /// The ID of an event.
  package func id(_ sequence: UInt64) -> String { "\(epoch)-\(sequence)" }

  func setWake(_ number: UInt64, _ wake: @escaping @Sendable () -> Void) {
    state.withLock { if $0.wakes[number] != nil { $0.wakes[number] = wake } }
  }

  func remove(_ number: UInt64) {
    state.withLock { $0.wakes[number] = nil }
  }

  /// Returns the events after the cursor, about `limit` bytes at most, and advances the cursor.
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
    guard text.starts(with: prefix), !digits.isEmpty, digits.count <= 18, digits.allSatisfy(ASCII.isDigit) else {
      return Cursor(sequence: next, isForeign: true)
    }
    let sequence = digits.reduce(0) { $0 * 10 + UInt64($1 &- 0x30) }
    return sequence < next ? Cursor(sequence: sequence + 1) : Cursor(sequence: next, isForeign: true)
  }
}
