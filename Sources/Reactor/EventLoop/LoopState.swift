/// The state that only the event loop's own thread touches: ready jobs, registered descriptors and timers.
final class LoopState {
  /// The owner of a deadline.
  enum Deadline {
    case channel(fd: Int32, generation: UInt32)
    case timer(LoopTimer)
  }

  /// Jobs that run before the next poll.
  var jobs: [UnownedJob] = []

  /// When the current turn began to dispatch events.
  var turnTime = ContinuousClock.now

  /// Set once by ``beginStop()``.
  private(set) var isStopping = false

  /// Set once by ``interruptIdleReads()``.
  private(set) var interruptsIdleReads = false

  /// When the resumed tasks must have finished.
  private(set) var stopDeadline: ContinuousClock.Instant?

  /// All deadlines, including those that no call waits for any more.
  var deadlines = TimerHeap<Deadline>()

  /// A buffer for one read or one gathered write, shared by all streams of the loop, so that idle connections need none.
  let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 1024, alignment: 16)

  /// The tasks waiting to continue a TLS handshake.
  let handshakes = HandshakeQueue()

  private var channels: [Channel?] = []
  private var timers: [LoopTimer: @Sendable () -> Void] = [:]
  private var cancelledTimers = 0
  private var nextGeneration: UInt32 = 0

  deinit { scratch.deallocate() }

  /// A number for a new channel, which distinguishes its events from those of an earlier channel with the same descriptor.
  func makeGeneration() -> UInt32 {
    nextGeneration &+= 1
    return nextGeneration
  }

  /// Adds a channel to the table.
  func register(_ channel: Channel) {
    let index = Int(channel.fd)
    while channels.count <= index { channels.append(nil) }
    channels[index] = channel
  }

  /// Removes a channel from the table.
  func unregister(_ channel: Channel) {
    channels[Int(channel.fd)] = nil
  }

  /// The channel with this descriptor and generation; nil if it was closed.
  func channel(fd: Int32, generation: UInt32) -> Channel? {
    let index = Int(fd)
    guard channels.indices.contains(index), let channel = channels[index], channel.generation == generation else { return nil }
    return channel
  }

  var openChannels: [Channel] { channels.compactMap { $0 } }

  func add(_ timer: LoopTimer, at deadline: ContinuousClock.Instant, _ action: @escaping @Sendable () -> Void) {
    timers[timer] = action
    deadlines.insert(.timer(timer), at: deadline)
  }

  /// Cancels a timer. Its deadline stays in the heap until it passes, or until more than half of the heap is canceled.
  func cancel(_ timer: LoopTimer) {
    guard timers.removeValue(forKey: timer) != nil else { return }
    cancelledTimers += 1
    guard cancelledTimers > 64, cancelledTimers > deadlines.count / 2 else { return }
    cancelledTimers = 0
    deadlines.removeAll { deadline in
      guard case .timer(let timer) = deadline else { return false }
      return timers[timer] == nil
    }
  }

  /// Fires the deadlines that have passed.
  func fireDeadlines(now: ContinuousClock.Instant) {
    while let (deadline, due) = deadlines.popFirst(notAfter: now) {
      switch due {
      case .channel(let fd, let generation):
        channel(fd: fd, generation: generation)?.handleDeadline(deadline, now: now)
      case .timer(let timer):
        if let action = timers.removeValue(forKey: timer) {
          action()
        } else {
          cancelledTimers = max(0, cancelledTimers - 1)
        }
      }
    }
  }

  /// See ``EventLoop/interruptIdleReads()``.
  func interruptIdleReads() {
    interruptsIdleReads = true
    for channel in openChannels where channel.interruptsIdleReads { channel.wake(.reader, .stopping) }
  }

  /// Resumes every suspended call; see ``EventLoop/stop()``.
  func beginStop() {
    guard !isStopping else { return }
    isStopping = true
    stopDeadline = .now + .seconds(1)
    handshakes.resumeAll()
    for channel in openChannels { channel.wakeAll(.stopping) }
  }
}
