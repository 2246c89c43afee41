/// A connection's bytes in both directions, plain or TLS, served by one event loop.
///
/// Every method must run on ``loop``: in a task whose executor preference is that loop. At most one read, one write and one
/// ``waitForPeerClose()`` may be suspended at a time, but those three may be so together, in child tasks.
package protocol ByteStream: AnyObject, Sendable {
  /// The loop that serves this stream.
  var loop: EventLoop { get }

  /// Whether bytes are encrypted on the wire.
  var isTLS: Bool { get }

  /// Whether ``EventLoop/interruptIdleReads()`` ends a read of this stream with ``StreamError/stopping``; false at first.
  ///
  /// A server sets it while it waits for a next request and clears it once a request has begun.
  var interruptsIdleReads: Bool { get set }

  /// Appends what has arrived, at least one byte and at most `atMost`, and suspends while there is none.
  ///
  /// - Returns: how many bytes were appended; 0 means that the peer sends no more.
  func read(into buffer: inout [UInt8], atMost: Int, deadline: ContinuousClock.Instant?) async throws(StreamError) -> Int

  /// Sends all bytes and returns once the kernel has them.
  func write(_ bytes: [UInt8], deadline: ContinuousClock.Instant?) async throws(StreamError)

  /// Sends the buffers one after the other, in as few system calls as possible.
  func write(_ buffers: [[UInt8]], deadline: ContinuousClock.Instant?) async throws(StreamError)

  /// Returns once the peer has gone or sends no more; also when the stream is closed, the task cancelled or the loop stopped.
  func waitForPeerClose() async

  /// Tells the peer that no more bytes follow; reading goes on.
  func shutdownWrite()

  /// Frees the descriptor at once and ends suspended calls with ``StreamError/closed``; further calls do nothing.
  func close()

  /// Shuts down writing, discards what still arrives for at most one second or 64 KiB, then closes.
  ///
  /// Closing with unread bytes makes the kernel send a reset, which can destroy an answer still under way (RFC 9112 §9.6).
  func closeLingering() async
}
