import CLinux
import Glibc

/// A connection encrypted with TLS.
///
/// `@unchecked Sendable`: it owns an OpenSSL handle, and only its loop's thread touches it.
final class TLSStream: ChannelStream, @unchecked Sendable {
  let channel: Channel
  private var session: TLSSession?

  /// The largest record in bytes (RFC 8446 §5.1).
  private static let record = 16 * 1024

  private init?(channel: Channel, context: TLSContext) {
    guard let session = TLSSession(table: context.table, fd: channel.fd) else { return nil }
    self.channel = channel
    self.session = session
  }

  /// Performs the handshake on an accepted socket; nil if it fails, and the caller closes the channel.
  ///
  /// Plain HTTP on a TLS port fails here as well.
  nonisolated(nonsending) static func accept(
    _ channel: Channel, context: TLSContext, within time: Duration
  ) async -> TLSStream? {
    guard channel.isOpen, let stream = TLSStream(channel: channel, context: context) else { return nil }
    channel.interruptsIdleReads = true
    let deadline = ContinuousClock.now + time
    do throws(StreamError) {
      try await stream.handshake(until: deadline)
    } catch {
      return nil
    }
    channel.interruptsIdleReads = false
    return stream
  }

  nonisolated(nonsending) private func handshake(until deadline: ContinuousClock.Instant) async throws(StreamError) {
    while true {
      await channel.loop.state.handshakes.enter()
      guard channel.isOpen, let session else { throw .closed }
      let wake: Channel.Wake
      channel.clearReady(Channel.readable | Channel.writable)
      switch session.handshake() {
      case .done:
        // The first request may have arrived with the end of the handshake and be in OpenSSL's buffer.
        return channel.markReady(Channel.readable)
      case .ended: throw .reset
      case .failed(let error): throw error
      case .wantsRead: wake = await channel.wait(.reader, for: Channel.readable, until: deadline)
      case .wantsWrite: wake = await channel.wait(.reader, for: Channel.writable, until: deadline)
      case .wantsPause: wake = await channel.pause(.reader, until: deadline)
      }
      if let error = wake.error { throw error }
    }
  }

  var isTLS: Bool { true }

  nonisolated(nonsending) func read(
    into buffer: inout [UInt8], atMost: Int, deadline: ContinuousClock.Instant?
  ) async throws(StreamError) -> Int {
    let scratch = channel.loop.state.scratch
    let room = UnsafeMutableRawBufferPointer(rebasing: scratch[..<min(max(atMost, 1), scratch.count)])
    // Append before anything suspends, because all streams of the loop share `scratch`.
    return try await finish(.reader, deadline) { session in
      let outcome = session.read(into: room)
      if case .done(let count) = outcome { buffer.append(contentsOf: UnsafeRawBufferPointer(rebasing: room[..<count])) }
      return outcome
    }
  }

  nonisolated(nonsending) func write(
    _ bytes: [UInt8], _ range: Range<Int>, deadline: ContinuousClock.Instant?
  ) async throws(StreamError) {
    var next = range.lowerBound
    while next < range.upperBound {
      let end = min(range.upperBound, next + Self.record)
      next += try await finish(.writer, deadline) { session in
        bytes.withUnsafeBytes { session.write(UnsafeRawBufferPointer(rebasing: $0[next..<end])) }
      }
    }
  }

  /// Repeats a call until it completes; either direction may have to wait for either event of the socket.
  ///
  /// - Returns: The number of bytes; 0 at the end of input.
  nonisolated(nonsending) private func finish(
    _ slot: Channel.Slot, _ deadline: ContinuousClock.Instant?, _ call: (TLSSession) -> TLSSession.Outcome
  ) async throws(StreamError) -> Int {
    while true {
      guard channel.isOpen, let session else { throw .closed }
      let wake: Channel.Wake
      // Either direction may read or write the socket.
      channel.clearReady(Channel.readable | Channel.writable)
      switch call(session) {
      case .done(let count):
        if session.hasBuffered { channel.markReady(Channel.readable) }
        if let error = await channel.yieldIfNeeded(deadline: slot == .writer ? deadline : nil)?.error, slot == .writer {
          throw error
        }
        return count
      case .ended: return 0
      case .failed(let error): throw error
      case .wantsRead: wake = await channel.wait(slot, for: Channel.readable, until: deadline)
      case .wantsWrite: wake = await channel.wait(slot, for: Channel.writable, until: deadline)
      case .wantsPause: wake = await channel.pause(slot, until: deadline)
      }
      if let error = wake.error { throw error }
    }
  }

  func readNow(into room: UnsafeMutableRawBufferPointer) -> Int? {
    guard channel.isOpen, let session else { return nil }
    channel.clearReady(Channel.readable)
    var count = 0
    while count < room.count {
      switch session.read(into: UnsafeMutableRawBufferPointer(rebasing: room[count...])) {
      case .done(let more):
        count += more
        // Do not spend a call on EAGAIN (5 % of a small response): an event reports the remaining input.
        guard session.hasBuffered else { return count }
      case .wantsRead: return count
      case .ended, .failed, .wantsWrite, .wantsPause:
        channel.markReady(Channel.readable)
        return count > 0 ? count : nil
      }
    }
    channel.markReady(Channel.readable)
    return count
  }

  func writeNow(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> Int {
    let sent = writeNow(first)
    return sent < first.count ? sent : sent + writeNow(second)
  }

  func writeNow(_ first: UnsafeRawBufferPointer, _ second: SharedBytes) -> Int {
    second.bytes.withUnsafeBytes { writeNow(first, $0) }
  }

  nonisolated(nonsending) func write(
    _ bytes: SharedBytes, _ range: Range<Int>, deadline: ContinuousClock.Instant?
  ) async throws(StreamError) {
    try await write(bytes.bytes, range, deadline: deadline)
  }

  private func writeNow(_ bytes: UnsafeRawBufferPointer) -> Int {
    guard channel.isOpen, let session else { return 0 }
    var sent = 0
    while sent < bytes.count {
      let part = UnsafeRawBufferPointer(rebasing: bytes[sent..<min(bytes.count, sent + Self.record)])
      guard case .done(let count) = session.write(part) else { break }
      sent += count
    }
    return sent
  }

  func close() {
    guard channel.isOpen else { return }
    session?.sendCloseNotify()
    session = nil
    channel.close()
  }

  nonisolated(nonsending) func closeLingering() async {
    guard channel.isOpen else { return }
    session?.sendCloseNotify()
    await channel.closeLingering()
    session = nil
  }
}
