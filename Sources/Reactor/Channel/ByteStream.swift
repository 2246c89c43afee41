/// The bytes of a connection in both directions, plain or TLS, on one event loop.
///
/// All methods must run on ``loop``, in a task whose executor preference is that loop. At most one read, one write and one
/// ``waitForPeerClose()`` may be suspended at a time; the three may be suspended together, in child tasks.
package protocol ByteStream: AnyObject, Sendable {
  /// The event loop of this stream.
  var loop: EventLoop { get }

  /// The task that serves an accepted stream; cancel it after closing the stream from outside.
  var task: Task<Void, Never>? { get }

  /// Whether the connection is encrypted.
  var isTLS: Bool { get }

  /// The user ID of the process at the other end, or nil if this machine cannot determine it. Looked up on first use.
  var peerUser: UInt32? { get }

  /// Whether ``EventLoop/interruptIdleReads()`` ends a read of this stream with ``StreamError/stopping``. Initially false.
  ///
  /// A server sets it while it waits for the next request and clears it when a request begins.
  var interruptsIdleReads: Bool { get set }

  /// Appends received bytes, at least one and at most `atMost`; suspends until there are any.
  ///
  /// - Returns: The number of bytes appended; 0 at the end of input.
  nonisolated(nonsending) func read(
    into buffer: inout [UInt8], atMost: Int, deadline: ContinuousClock.Instant?
  ) async throws(StreamError) -> Int

  /// Sends a range of bytes; returns when the kernel has taken them.
  nonisolated(nonsending) func write(
    _ bytes: [UInt8], _ range: Range<Int>, deadline: ContinuousClock.Instant?
  ) async throws(StreamError)

  /// Reads received bytes without waiting.
  ///
  /// - Returns: The number of bytes, or 0 if there are none. Nil at the end of input or on an error; call `read` to distinguish
  ///   them.
  func readNow(into buffer: UnsafeMutableRawBufferPointer) -> Int?

  /// Sends as much as possible of `first` and then `second`, which may be empty, without waiting.
  ///
  /// - Returns: The number of bytes the kernel took; 0 if the connection is broken.
  func writeNow(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> Int

  /// Sends `first` and then all of `second`, without copying it if stream and kernel support that.
  func writeNow(_ first: UnsafeRawBufferPointer, _ second: SharedBytes) -> Int

  /// Sends a range of shared bytes; returns when the kernel has taken them.
  nonisolated(nonsending) func write(
    _ bytes: SharedBytes, _ range: Range<Int>, deadline: ContinuousClock.Instant?
  ) async throws(StreamError)

  /// Suspends like `read`, but passes each arrival to `tryConsume` first, on the loop and outside the task. If that returns true,
  /// the bytes were consumed, and the call keeps waiting.
  ///
  /// Cancelling the task does not end the wait; close the stream as well.
  nonisolated(nonsending) func waitForBytes(
    deadline: ContinuousClock.Instant?, tryConsume: (() -> Bool)?
  ) async throws(StreamError)

  /// Changes the deadline of a suspended ``waitForBytes(deadline:tryConsume:)``.
  func postpone(until deadline: ContinuousClock.Instant)

  /// Returns when the peer has disconnected or closed its sending side, or when the stream is closed, the task canceled or the
  /// loop stopped.
  nonisolated(nonsending) func waitForPeerClose() async

  /// Closes the descriptor at once and ends suspended calls with ``StreamError/closed``. Further calls do nothing.
  func close()

  /// Closes the sending side, discards further input for at most one second or 1 MiB, then closes.
  ///
  /// If unread bytes are left when a socket closes, the kernel sends a reset, which can destroy a response in flight (RFC 9112
  /// §9.6).
  nonisolated(nonsending) func closeLingering() async
}

extension ByteStream {
  /// Sends all bytes; returns when the kernel has taken them.
  package nonisolated(nonsending) func write(
    _ bytes: [UInt8], deadline: ContinuousClock.Instant?
  ) async throws(StreamError) {
    try await write(bytes, bytes.indices, deadline: deadline)
  }
}

/// Why a read or a write of a ``ByteStream`` failed; the stream can then only be closed.
package enum StreamError: Error, Equatable {
  /// The deadline passed.
  case timedOut
  /// The peer reset the connection, or closed a TLS connection without a close_notify alert.
  case reset
  /// This side has closed the stream.
  case closed
  /// The loop is stopping, or an idle read was interrupted because the server is stopping.
  case stopping
  /// The task was canceled.
  case cancelled
  /// The peer violated the TLS protocol.
  case tls
}

/// Immutable bytes that many connections send without copying; a connection retains them until all are sent.
package final class SharedBytes: Sendable {
  /// From this size on, in bytes, they are sent from a file. Copying into the kernel is most of the cost of a 1 MiB response; at
  /// 10 KiB the copy is 10 % cheaper than the file and one call less (8.6 against 9.6 µs), unless other work occupies the caches.
  package static let fileThreshold = 16_384

  package let bytes: [UInt8]
  /// The offset within the file; nil if the bytes are not there.
  let start: Int?

  /// Stores the bytes, also in the file if they are large enough and it has space.
  package init(_ bytes: [UInt8]) {
    self.bytes = bytes
    start = bytes.count >= Self.fileThreshold ? AnonymousFile.shared?.add(bytes) : nil
  }

  deinit {
    if let start { AnonymousFile.shared?.remove(start, bytes.count) }
  }
}
