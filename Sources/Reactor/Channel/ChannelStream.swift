/// A stream over the channel of a socket, whose events both kinds of stream await alike.
protocol ChannelStream: ByteStream {
  var channel: Channel { get }
}

extension ChannelStream {
  var loop: EventLoop { channel.loop }
  var task: Task<Void, Never>? { channel.task }
  var peerUser: UInt32? { channel.lookUpPeerUser() }

  var interruptsIdleReads: Bool {
    get { channel.interruptsIdleReads }
    set { channel.interruptsIdleReads = newValue }
  }

  nonisolated(nonsending) func waitForBytes(
    deadline: ContinuousClock.Instant?, tryConsume: (() -> Bool)?
  ) async throws(StreamError) {
    if let error = await channel.waitForBytes(until: deadline, tryConsume: tryConsume).error { throw error }
  }

  func postpone(until deadline: ContinuousClock.Instant) { channel.postponeReader(until: deadline) }

  nonisolated(nonsending) func waitForPeerClose() async { _ = await channel.wait(.closer, for: Channel.peerClosed, until: nil) }
}
