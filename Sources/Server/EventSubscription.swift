import Synchronization
import Wire

/// One listener of an ``EventChannel``; it is counted until it is cancelled or let go of.
package final class EventSubscription: Sendable {
  /// Sent after a silence, without an id, so that a resumed stream does not lose its place.
  static let heartbeatEvent = ServerSentEvent(event: "heartbeat", data: Array("{}".utf8)).encode()

  private let channel: EventChannel
  private let number: UInt64
  private let cursor: Mutex<EventChannel.Cursor>

  init(channel: EventChannel, number: UInt64, cursor: EventChannel.Cursor) {
    self.channel = channel
    self.number = number
    self.cursor = Mutex(cursor)
  }

  deinit { channel.remove(number) }

  /// After so much silence a heartbeat is due.
  var heartbeat: Duration { channel.heartbeat }

  /// Has the closure called, on any thread, when there may be something to take.
  func onEvent(_ wake: @escaping @Sendable () -> Void) {
    channel.setWake(number, wake)
  }

  /// What came since the last call.
  func take(upTo limit: Int) -> EventChannel.Taken {
    cursor.withLock { channel.take(&$0, upTo: limit) }
  }

  /// Stops listening.
  package func cancel() {
    channel.remove(number)
  }
}
