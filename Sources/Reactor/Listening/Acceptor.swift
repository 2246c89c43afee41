import CLinux
import Glibc

/// Accepts connections of one listening socket on one loop.
///
/// Unchecked: it owns the listening and the reserve descriptor; after ``start()`` only its loop's thread touches it.
final class Acceptor: @unchecked Sendable {
  /// What happens to an accepted connection.
  struct Service {
    let options: Listener.Options
    let onConnection: Listener.Handler
  }

  private let loop: EventLoop
  private let service: Service
  private let listening: Int32
  private var channel: Channel?
  private var isClosed = false

  /// Given up for a moment when the process is out of descriptors, so that a waiting connection can be accepted and closed
  /// instead of keeping the loop awake.
  private var reserve: Int32 = -1

  /// How many connections one wake accepts.
  private static let batch = 16

  /// How long it rests where trying again at once makes no sense.
  private static let pause = Duration.milliseconds(100)

  /// Takes the socket over; ``start()`` begins to accept.
  init(socket: consuming ListeningSocket, loop: EventLoop, service: Service) {
    listening = socket.release()
    (self.loop, self.service) = (loop, service)
  }

  deinit {
    if channel == nil, !isClosed { Glibc.close(listening) }
    if reserve >= 0 { Glibc.close(reserve) }
  }

  /// Begins to accept.
  func start() {
    Task(executorPreference: loop) { await self.run() }
  }

  private func run() async {
    guard !isClosed, loop.isCurrent else { return }
    let channel = Channel(fd: listening, loop: loop)
    self.channel = channel
    openReserve()
    // Watched before the first accept: what cannot be watched stays in the backlog, and is served once it can.
    var result = AcceptResult.drained
    while channel.isOpen {
      var wake: Channel.Wake
      switch result {
      case .more:
        await Task.yield()
        wake = channel.isOpen && !loop.state.isStopping ? .ready : .closed
      case .drained: wake = await channel.wait(.reader, for: Channel.readable, until: nil)
      // While it rests nothing but the deadline wakes it.
      case .shortage: wake = await channel.wait(.reader, for: 0, until: .now + Self.pause)
      }
      // The kernel had no memory to watch the socket; giving up would end the listening for good.
      if wake == .closed, channel.isOpen, !loop.state.isStopping {
        wake = await channel.wait(.reader, for: 0, until: .now + Self.pause)
      }
      guard wake == .ready || wake == .timedOut else { break }
      guard channel.isOpen else { break }
      // A shortage of memory to watch with has passed only when watching has succeeded.
      channel.clearReady(Channel.readable)
      result = wake == .timedOut && !channel.isWatching ? .drained : accept(atMost: Self.batch)
    }
    channel.close()
    closeReserve()
  }

  /// Accepts what waits, then stops listening.
  func close() async {
    await withCheckedContinuation { continuation in
      let isQueued = loop.execute {
        self.drainAndClose()
        continuation.resume()
      }
      if !isQueued { continuation.resume() }
    }
  }

  private func drainAndClose() {
    guard !isClosed else { return }
    isClosed = true
    // A bound, because a flood must not keep the listener open.
    if channel?.isOpen ?? true { _ = accept(atMost: 4096) }
    if let channel { channel.close() } else { Glibc.close(listening) }
  }

  private enum AcceptResult {
    /// As many as were asked for.
    case more
    /// All that waited.
    case drained
    /// There is no memory or no descriptor, so that trying again at once makes no sense.
    case shortage
  }

  private func accept(atMost limit: Int) -> AcceptResult {
    for _ in 0..<limit {
      let (fd, peer) = SocketAddress.reading {
        accept4(listening, $0, $1, Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue))
      }
      if fd >= 0, let peer {
        serve(fd, peer)
        continue
      }
      let code = errno
      if fd >= 0 {
        Glibc.close(fd)
        continue
      }
      switch code {
      case EAGAIN: return .drained
      case EMFILE, ENFILE: guard acceptAndClose() else { return .shortage }
      case ENOBUFS, ENOMEM, EBADF, EINVAL, ENOTSOCK: return .shortage
      // Everything else is about the one connection that failed before it was accepted (accept(2)).
      default: continue
      }
    }
    return .more
  }

  private func serve(_ fd: Int32, _ peer: SocketAddress) {
    let (loop, service) = (loop, service)
    if let admission = service.options.admission, !admission.enter(peer) {
      Glibc.close(fd)
      return
    }
    if peer.unixPath == nil { Self.tune(fd) }
    let channel = Channel(fd: fd, loop: loop)
    // Known to the channel before it runs, as that is on this thread.
    channel.task = Task(executorPreference: loop) {
      if let stream = await Self.stream(channel, service.options) {
        await service.onConnection(stream, peer, loop)
        stream.close()
      } else {
        channel.close()
      }
      service.options.admission?.leave(peer)
    }
  }

  private static func tune(_ fd: Int32) {
    var on: Int32 = 1
    setsockopt(fd, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    // What a slow reader does not take waits here and not in the kernel, which would hold it for every connection and cut it
    // into tiny segments for a tiny window. Less than this has a large answer wake the loop for each of its parts.
    var unsent: Int32 = 262_144
    setsockopt(fd, Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, &unsent, socklen_t(MemoryLayout<Int32>.size))
  }

  private static func stream(_ channel: Channel, _ options: Listener.Options) async -> (any ByteStream)? {
    guard let tls = options.tls else { return PlainStream(channel: channel) }
    return await TLSStream.accept(channel, context: tls, within: options.handshakeTime)
  }

  /// Accepts one connection with the reserve descriptor and closes it.
  private func acceptAndClose() -> Bool {
    guard reserve >= 0 else {
      openReserve()
      return false
    }
    closeReserve()
    let fd = accept4(listening, nil, nil, Int32(SOCK_CLOEXEC.rawValue))
    if fd >= 0 { Glibc.close(fd) }
    openReserve()
    return fd >= 0 && reserve >= 0
  }

  private func openReserve() { reserve = open("/dev/null", O_RDONLY | O_CLOEXEC) }

  private func closeReserve() {
    if reserve >= 0 { Glibc.close(reserve) }
    reserve = -1
  }
}
