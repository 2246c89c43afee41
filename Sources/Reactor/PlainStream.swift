import CLinux
import Glibc

/// A TCP connection without encryption.
///
/// Unchecked: it stands for a descriptor, and only its loop's thread touches it.
final class PlainStream: ByteStream, @unchecked Sendable {
  private let channel: Channel

  /// Takes over an accepted, non-blocking socket; must run on the loop.
  init(channel: Channel) { self.channel = channel }

  var loop: EventLoop { channel.loop }

  var isTLS: Bool { false }

  var interruptsIdleReads: Bool {
    get { channel.interruptsIdleReads }
    set { channel.interruptsIdleReads = newValue }
  }

  func read(into buffer: inout [UInt8], atMost: Int, deadline: ContinuousClock.Instant?) async throws(StreamError) -> Int {
    let scratch = channel.loop.state.scratch
    let limit = min(max(atMost, 1), scratch.count)
    while true {
      guard channel.isOpen else { throw .closed }
      let count = recv(channel.fd, scratch.baseAddress, limit, 0)
      if count > 0 {
        buffer.append(contentsOf: UnsafeRawBufferPointer(rebasing: scratch[..<count]))
        // What has been read is never lost: a reason to stop is met by the next call.
        _ = await channel.spendCall(deadline: nil)
        return count
      }
      if count == 0 { return 0 }
      try await waitAfterError(errno, .reader, for: Channel.readable, deadline)
    }
  }

  func write(_ bytes: [UInt8], deadline: ContinuousClock.Instant?) async throws(StreamError) {
    var sent = 0
    while sent < bytes.count {
      guard channel.isOpen else { throw .closed }
      let count = bytes.withUnsafeBytes { send(channel.fd, $0.baseAddress?.advanced(by: sent), $0.count - sent, flags) }
      if count >= 0 {
        sent += count
        if let error = await channel.spendCall(deadline: deadline)?.error { throw error }
      } else {
        try await waitAfterError(errno, .writer, for: Channel.writable, deadline)
      }
    }
  }

  func write(_ buffers: [[UInt8]], deadline: ContinuousClock.Instant?) async throws(StreamError) {
    var position = GatherPosition(buffers)
    while !position.isDone {
      guard channel.isOpen else { throw .closed }
      let count = position.withVectors { vectors in
        var message = msghdr()
        message.msg_iov = vectors.baseAddress
        message.msg_iovlen = vectors.count
        return sendmsg(channel.fd, &message, flags)
      }
      if count >= 0 {
        position.advance(by: count)
        if let error = await channel.spendCall(deadline: deadline)?.error { throw error }
      } else {
        try await waitAfterError(errno, .writer, for: Channel.writable, deadline)
      }
    }
  }

  private var flags: Int32 { Int32(MSG_NOSIGNAL) }

  private func waitAfterError(
    _ code: Int32, _ slot: Channel.Slot, for events: UInt32, _ deadline: ContinuousClock.Instant?
  ) async throws(StreamError) {
    switch code {
    case EINTR: return
    case EAGAIN:
      if let error = await channel.wait(slot, for: events, until: deadline).error { throw error }
    case let code where MemoryShortage.isMeant(by: code):
      if let error = await channel.rest(slot, until: deadline).error { throw error }
    default: throw .reset
    }
  }

  func waitForPeerClose() async { _ = await channel.wait(.closer, for: Channel.peerClosed, until: nil) }

  func shutdownWrite() { channel.shutdownWrite() }

  func close() { channel.close() }

  func closeLingering() async { await channel.closeLingering() }
}
