import Locking
import Wire

/// One listener of an ``EventChannel``; it is counted until it is cancelled or let go of.
package final class EventSubscription: Sendable {
  /// Sent after a silence, without an id, so that a resumed stream does not lose its place.
  static let heartbeatEvent = ServerSentEvent(event: "heartbeat", data: Array("{}".utf8)).encode()

  private let channel: EventChannel
  private let number: UInt64
  private let cursor: Locked<EventChannel.Cursor>
  /// What is sent before anything else.
  private let greeting = Locked<[UInt8]>([])

  init(channel: EventChannel, number: UInt64, cursor: EventChannel.Cursor) {
    self.channel = channel
    self.number = number
    self.cursor = Locked(cursor)
  }

  /// Has the stream begin with an event that tells this listener alone where things stand; a resumed stream begins behind it.
  ///
  /// What it tells is to be read after `subscribe`, so that nothing falls between the two.
  package func greet(_ event: String, data: [UInt8]) {
    let id = cursor.withLock { channel.id($0.sequence - 1) }
    let bytes = ServerSentEvent(id: id, event: event, data: data).encode()
    // One that the channel would not remember either is not held for each listener: it is told that it missed something.
    let fits = bytes.count <= channel.byteCapacity
    let gap = #"{"missed":null,"from":null,"to":"\#(id)"}"#
    greeting.withLock { $0 += fits ? bytes : ServerSentEvent(id: id, event: "gap", data: Array(gap.utf8)).encode() }
  }

  deinit { channel.remove(number) }

  /// After so much silence a heartbeat is due.
  var heartbeat: Duration { channel.heartbeat }

  /// Has the closure called, on any thread, when there may be something to take.
  func onEvent(_ wake: @escaping @Sendable () -> Void) {
    channel.setWake(number, wake)
  }

  /// What came since the last call.
  func take(upTo limit: Int) -> EventChannel.TakeResult {
    let greeting = greeting.withLock { bytes in
      defer { bytes = [] }
      return bytes
    }
    let taken = cursor.withLock { channel.take(&$0, upTo: limit) }
    guard !greeting.isEmpty else { return taken }
    guard case .events(let bytes) = taken else { return .events(greeting) }
    return .events(greeting + bytes)
  }

  /// Stops listening.
  package func cancel() {
    channel.remove(number)
  }
}
