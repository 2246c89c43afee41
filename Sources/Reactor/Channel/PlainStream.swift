import CLinux
import Glibc

/// A connection without encryption.
final class PlainStream: ChannelStream {
  let channel: Channel

  /// Takes over the channel of an accepted socket; must run on the loop.
  init(channel: Channel) { self.channel = channel }

  var isTLS: Bool { false }

  nonisolated(nonsending) func read(
    into buffer: inout [UInt8], atMost: Int, deadline: ContinuousClock.Instant?
  ) async throws(StreamError) -> Int {
    let scratch = channel.loop.state.scratch
    let limit = min(max(atMost, 1), scratch.count)
    while true {
      guard channel.isOpen else { throw .closed }
      channel.clearReady(Channel.readable)
      let count = recv(channel.fd, scratch.baseAddress, limit, 0)
      if count > 0 {
        if count == limit { channel.markReady(Channel.readable) }
        buffer.append(contentsOf: UnsafeRawBufferPointer(rebasing: scratch[..<count]))
        // Never lose bytes that were read: the next call reports the reason to stop.
        _ = await channel.yieldIfNeeded(deadline: nil)
        return count
      }
      if count == 0 { return 0 }
      try await waitAfterError(errno, .reader, for: Channel.readable, deadline)
    }
  }

  nonisolated(nonsending) func write(
    _ bytes: [UInt8], _ range: Range<Int>, deadline: ContinuousClock.Instant?
  ) async throws(StreamError) {
    var next = range.lowerBound
    while next < range.upperBound {
      guard channel.isOpen else { throw .closed }
      channel.clearReady(Channel.writable)
      let count = bytes.withUnsafeBytes { send(channel.fd, $0.baseAddress?.advanced(by: next), range.upperBound - next, flags) }
      if count >= 0 {
        next += count
        if let error = await channel.yieldIfNeeded(deadline: deadline)?.error { throw error }
      } else {
        try await waitAfterError(errno, .writer, for: Channel.writable, deadline)
      }
    }
  }

  func readNow(into room: UnsafeMutableRawBufferPointer) -> Int? {
    guard channel.isOpen else { return nil }
    channel.clearReady(Channel.readable)
    let count = recv(channel.fd, room.baseAddress, room.count, 0)
    // A short read usually empties the socket, so do not spend a call on EAGAIN; otherwise an event follows.
    if count == room.count { channel.markReady(Channel.readable) }
    return count > 0 ? count : count < 0 && errno == EAGAIN ? 0 : nil
  }

  func writeNow(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> Int {
    guard channel.isOpen else { return 0 }
    guard !second.isEmpty else { return max(send(channel.fd, first.baseAddress, first.count, flags), 0) }
    return withUnsafeTemporaryAllocation(of: iovec.self, capacity: 2) { vectors in
      vectors[0] = iovec(iov_base: UnsafeMutableRawPointer(mutating: first.baseAddress), iov_len: first.count)
      vectors[1] = iovec(iov_base: UnsafeMutableRawPointer(mutating: second.baseAddress), iov_len: second.count)
      var message = msghdr()
      message.msg_iov = vectors.baseAddress
      message.msg_iovlen = 2
      return max(sendmsg(channel.fd, &message, flags), 0)
    }
  }

  func writeNow(_ first: UnsafeRawBufferPointer, _ second: SharedBytes) -> Int {
    guard channel.isOpen else { return 0 }
    // Without a file, one call can send both.
    guard second.start != nil else { return second.bytes.withUnsafeBytes { writeNow(first, $0) } }
    // MSG_MORE keeps the head in the kernel until the body follows, so that both share a packet.
    let head = max(send(channel.fd, first.baseAddress, first.count, flags | Int32(MSG_MORE)), 0)
    return head < first.count ? head : head + max(sendPart(second, 0..<second.bytes.count), 0)
  }

  nonisolated(nonsending) func write(
    _ bytes: SharedBytes, _ range: Range<Int>, deadline: ContinuousClock.Instant?
  ) async throws(StreamError) {
    var next = range.lowerBound
    while next < range.upperBound {
      guard channel.isOpen else { throw .closed }
      channel.clearReady(Channel.writable)
      let count = sendPart(bytes, next..<range.upperBound)
      if count >= 0 {
        next += count
        if let error = await channel.yieldIfNeeded(deadline: deadline)?.error { throw error }
      } else {
        try await waitAfterError(errno, .writer, for: Channel.writable, deadline)
      }
    }
  }

  /// Returns the kernel's count, or -1 with `errno` set.
  private func sendPart(_ shared: SharedBytes, _ range: Range<Int>) -> Int {
    if let start = shared.start, let file = AnonymousFile.shared {
      var offset = off_t(start + range.lowerBound)
      return sendfile(channel.fd, file.descriptor, &offset, range.count)
    }
    return shared.bytes.withUnsafeBytes { send(channel.fd, $0.baseAddress?.advanced(by: range.lowerBound), range.count, flags) }
  }

  private var flags: Int32 { Int32(MSG_NOSIGNAL) }

  nonisolated(nonsending) private func waitAfterError(
    _ code: Int32, _ slot: Channel.Slot, for events: UInt32, _ deadline: ContinuousClock.Instant?
  ) async throws(StreamError) {
    switch code {
    case EINTR: return
    case EAGAIN:
      if let error = await channel.wait(slot, for: events, until: deadline).error { throw error }
    case let code where MemoryShortage.matches(code):
      if let error = await channel.pause(slot, until: deadline).error { throw error }
    default: throw .reset
    }
  }

  func close() { channel.close() }

  nonisolated(nonsending) func closeLingering() async { await channel.closeLingering() }
}
