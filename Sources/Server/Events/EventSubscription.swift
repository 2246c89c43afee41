import Locking
import Wire

/// One subscription to an ``EventChannel``. It counts as open until it is canceled or released.
package final class EventSubscription: Sendable {
  /// Sent after a silence; without an ID, so that a resumed stream does not lose its position.
  static let heartbeatEvent = ServerSentEvent(event: "heartbeat", data: Array("{}".utf8)).encode()

  private let channel: EventChannel
  private let number: UInt64
  private let cursor: Locked<EventChannel.Cursor>
  /// Events to send before any other.
  private let initialBytes = Locked<[UInt8]>([])

  init(channel: EventChannel, number: UInt64, cursor: EventChannel.Cursor) {
    self.channel = channel
    self.number = number
    self.cursor = Locked(cursor)
  }

  /// Starts the stream with an event for this subscriber only, which describes the current state; a resumed stream continues
  /// behind it.
  ///
  /// Read the state after calling `subscribe`, so that no change is missed in between.
  package func sendInitial(_ event: String, data: [UInt8]) {
    let id = cursor.withLock { channel.id($0.sequence - 1) }
    let bytes = ServerSentEvent(id: id, event: event, data: data).encode()
    // Keep no event that is too large for the channel's history: the subscriber receives a gap instead.
    let fits = bytes.count <= channel.byteCapacity
    let gap = #"{"missed":null,"from":null,"to":"\#(id)"}"#
    initialBytes.withLock { $0 += fits ? bytes : ServerSentEvent(id: id, event: "gap", data: Array(gap.utf8)).encode() }
  }

  deinit { channel.remove(number) }

  /// A heartbeat is due after this time without events.
  var heartbeat: Duration { channel.heartbeat }

  /// Calls the closure, on any thread, when there may be events to take.
  func onEvent(_ wake: @escaping @Sendable () -> Void) {
    channel.setWake(number, wake)
  }

  /// The events since the last call.
  func take(upTo limit: Int) -> EventChannel.TakeResult {
    let initialBytes = initialBytes.withLock { bytes in
      defer { bytes = [] }
      return bytes
    }
    let taken = cursor.withLock { channel.take(&$0, upTo: limit) }
    guard !initialBytes.isEmpty else { return taken }
    guard case .events(let bytes) = taken else { return .events(initialBytes) }
    return .events(initialBytes + bytes)
  }

  /// Ends the subscription.
  package func cancel() {
    channel.remove(number)
  }
}
