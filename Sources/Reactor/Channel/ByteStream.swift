/// A connection's bytes in both directions, plain or TLS, served by one event loop.
///
/// Every method must run on ``loop``: in a task whose executor preference is that loop. At most one read, one write and one
/// ``waitForPeerClose()`` may be suspended at a time, but those three may be so together, in child tasks.
package protocol ByteStream: AnyObject, Sendable {
  /// The loop that serves this stream.
  var loop: EventLoop { get }

  /// The task that serves a stream which was accepted, to be cancelled by whoever cuts it off.
  var task: Task<Void, Never>? { get }

  /// Whether bytes are encrypted on the wire.
  var isTLS: Bool { get }

  /// The user who runs the process at the other end; nil if this machine cannot tell. Looked up when first asked for, then remembered.
  var peerUser: UInt32? { get }

  /// Whether ``EventLoop/interruptIdleReads()`` ends a read of this stream with ``StreamError/stopping``; false at first.
  ///
  /// A server sets it while it waits for a next request and clears it once a request has begun.
  var interruptsIdleReads: Bool { get set }

  /// Appends what has arrived, at least one byte and at most `atMost`, and suspends while there is none.
  ///
  /// - Returns: how many bytes were appended; 0 means that the peer sends no more.
  nonisolated(nonsending) func read(
    into buffer: inout [UInt8], atMost: Int, deadline: ContinuousClock.Instant?
  ) async throws(StreamError) -> Int

  /// Sends the bytes of the range and returns once the kernel has them.
  nonisolated(nonsending) func write(
    _ bytes: [UInt8], _ range: Range<Int>, deadline: ContinuousClock.Instant?
  ) async throws(StreamError)

  /// Sends the buffers one after the other, in as few system calls as possible.
  nonisolated(nonsending) func write(_ buffers: [[UInt8]], deadline: ContinuousClock.Instant?) async throws(StreamError)

  /// Reads what has arrived without waiting.
  ///
  /// - Returns: how many bytes, 0 where none have arrived; nil at the end of input or an error, which `read` tells apart.
  func readNow(into buffer: UnsafeMutableRawBufferPointer) -> Int?

  /// Sends the beginning of `first` and then `second`, which may be empty, without waiting.
  ///
  /// - Returns: how many bytes of both the kernel took, 0 also where the stream is broken.
  func writeNow(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> Int

  /// The same with all of `second`, which is sent without being copied where the stream and the kernel can.
  func writeNow(_ first: UnsafeRawBufferPointer, _ second: SharedBytes) -> Int

  /// Sends the bytes of the range and returns once the kernel has them.
  nonisolated(nonsending) func write(
    _ bytes: SharedBytes, _ range: Range<Int>, deadline: ContinuousClock.Instant?
  ) async throws(StreamError)

  /// Suspends like `read` until there may be something to read, but hands each arrival to `tryConsume` first, on the loop and outside
  /// the task: where that returns true it has used it up, and the call goes on waiting.
  ///
  /// Cancelling the task does not end it: who cancels also closes the stream.
  nonisolated(nonsending) func waitForBytes(
    deadline: ContinuousClock.Instant?, tryConsume: (() -> Bool)?
  ) async throws(StreamError)

  /// Gives a suspended ``waitForBytes(deadline:tryConsume:)`` another deadline.
  func postpone(until deadline: ContinuousClock.Instant)

  /// Returns once the peer has gone or sends no more; also when the stream is closed, the task cancelled or the loop stopped.
  nonisolated(nonsending) func waitForPeerClose() async

  /// Tells the peer that no more bytes follow; reading goes on.
  func shutdownWrite()

  /// Frees the descriptor at once and ends suspended calls with ``StreamError/closed``; further calls do nothing.
  func close()

  /// Shuts down writing, discards what still arrives for at most one second or 1 MiB, then closes.
  ///
  /// Closing with unread bytes makes the kernel send a reset, which can destroy an answer still under way (RFC 9112 §9.6).
  nonisolated(nonsending) func closeLingering() async
}

extension ByteStream {
  /// Sends all bytes and returns once the kernel has them.
  package nonisolated(nonsending) func write(
    _ bytes: [UInt8], deadline: ContinuousClock.Instant?
  ) async throws(StreamError) {
    try await write(bytes, bytes.indices, deadline: deadline)
  }
}

/// Why a read or a write of a ``ByteStream`` ended; the stream can then only be closed.
package enum StreamError: Error, Equatable {
  /// The deadline passed.
  case timedOut
  /// The peer reset the connection, or ended a TLS connection without saying so.
  case reset
  /// This side has closed the stream.
  case closed
  /// The loop is stopping, or an idle read was interrupted because the server is.
  case stopping
  /// The task was cancelled.
  case cancelled
  /// The peer broke the TLS protocol.
  case tls
}
