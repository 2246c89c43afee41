import CLinux
import Glibc

/// Accepts the connections of one listening socket on one event loop.
///
/// `@unchecked Sendable`: it owns the listening and the reserve descriptor; after ``start()`` only its loop's thread touches it.
final class Acceptor: @unchecked Sendable {
  /// How accepted connections are served.
  struct Service {
    let options: Listener.Options
    let onConnection: Listener.Handler
  }

  private let loop: EventLoop
  private let service: Service
  private let listening: Int32
  private var channel: Channel?
  private var isClosed = false

  /// A spare descriptor. When the process runs out of descriptors it is closed for a moment, so that a waiting connection can be
  /// accepted and closed instead of keeping the loop busy.
  private var reserve: Int32 = -1

  /// The most connections to accept before other events get a turn.
  private static let batch = 16

  /// How long to pause when retrying at once would fail.
  private static let pause = Duration.milliseconds(100)

  /// Takes ownership of the socket; ``start()`` begins to accept.
  init(socket: consuming ListeningSocket, loop: EventLoop, service: Service) {
    listening = socket.release()
    self.loop = loop
    self.service = service
  }

  deinit {
    if channel == nil, !isClosed { Glibc.close(listening) }
    if reserve >= 0 { Glibc.close(reserve) }
  }

  /// Starts accepting.
  func start() {
    Task(executorPreference: loop) { await self.run() }
  }

  private func run() async {
    guard !isClosed, loop.isCurrent else { return }
    let channel = Channel(fd: listening, loop: loop)
    self.channel = channel
    openReserve()
    // Register before the first accept: connections wait in the backlog until registering succeeds.
    var result = AcceptResult.drained
    while channel.isOpen {
      var wake: Channel.Wake
      switch result {
      case .more:
        await Task.yield()
        wake = channel.isOpen && !loop.state.isStopping ? .ready : .closed
      case .drained: wake = await channel.wait(.reader, for: Channel.readable, until: nil)
      // During the pause only the deadline wakes it.
      case .shortage: wake = await channel.wait(.reader, for: 0, until: .now + Self.pause)
      }
      // The kernel had no memory to register the socket; the listener must not stop for that.
      if wake == .closed, channel.isOpen, !loop.state.isStopping {
        wake = await channel.wait(.reader, for: 0, until: .now + Self.pause)
      }
      guard wake == .ready || wake == .timedOut else { break }
      guard channel.isOpen else { break }
      // The memory shortage is over only when registering has succeeded.
      channel.clearReady(Channel.readable)
      result = wake == .timedOut && !channel.isWatching ? .drained : accept(atMost: Self.batch)
    }
    channel.close()
    closeReserve()
  }

  /// Accepts the waiting connections, then stops listening.
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
    // Bounded, so that a flood of connections cannot keep the listener open.
    if channel?.isOpen ?? true { _ = accept(atMost: 4096) }
    if let channel { channel.close() } else { Glibc.close(listening) }
  }

  private enum AcceptResult {
    /// As many as requested; there may be more.
    case more
    /// All waiting connections.
    case drained
    /// Memory or descriptors are exhausted; retrying at once would fail.
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
      // Other errors concern a single connection that failed before it was accepted (accept(2)).
      default: continue
      }
    }
    return .more
  }

  private func serve(_ fd: Int32, _ peer: SocketAddress) {
    let loop = loop
    let service = service
    if let admission = service.options.admission, !admission.enter(peer) {
      Glibc.close(fd)
      return
    }
    if peer.unixPath == nil { Self.tune(fd) }
    let channel = Channel(fd: fd, loop: loop)
    // The task is set before it runs, because both happen on this thread.
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
    // Limits the unsent bytes in the kernel: for a slow reader, the kernel would otherwise keep them in memory for each
    // connection and split them into tiny segments for a tiny window. A lower limit wakes the loop too often during a large
    // response.
    var unsent: Int32 = 262_144
    setsockopt(fd, Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, &unsent, socklen_t(MemoryLayout<Int32>.size))
  }

  private static func stream(_ channel: Channel, _ options: Listener.Options) async -> (any ByteStream)? {
    guard let tls = options.tls else { return PlainStream(channel: channel) }
    return await TLSStream.accept(channel, context: tls, within: options.handshakeTime)
  }

  /// Uses the reserve descriptor to accept one connection and close it.
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
