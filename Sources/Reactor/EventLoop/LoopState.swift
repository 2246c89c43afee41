/// What only an event loop's own thread touches: ready jobs, watched descriptors and timers.
final class LoopState {
  /// What a deadline is for.
  enum Deadline {
    case channel(fd: Int32, generation: UInt32)
    case timer(LoopTimer)
  }

  /// Jobs that run before the next poll.
  var jobs: [UnownedJob] = []

  /// When the current turn began to hand out events.
  var turnTime = ContinuousClock.now

  /// Set once by ``beginStop()``.
  private(set) var isStopping = false

  /// Set once by ``interruptIdleReads()``.
  private(set) var interruptsIdleReads = false

  /// When the woken tasks must be done.
  private(set) var stopDeadline: ContinuousClock.Instant?

  /// All deadlines, also those that nobody waits for any more.
  var deadlines = TimerHeap<Deadline>()

  /// Room for one read or one gathered write, shared by all streams of the loop: an idle connection holds no buffer.
  let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 1024, alignment: 16)

  /// Who waits for a turn to do a part of a handshake.
  let handshakes = HandshakeQueue()

  private var channels: [Channel?] = []
  private var timers: [LoopTimer: @Sendable () -> Void] = [:]
  private var cancelledTimers = 0
  private var nextGeneration: UInt32 = 0

  deinit { scratch.deallocate() }

  /// The number of the next channel, so that events of an earlier one with the same descriptor are told apart.
  func makeGeneration() -> UInt32 {
    nextGeneration &+= 1
    return nextGeneration
  }

  /// Takes a channel into the table.
  func register(_ channel: Channel) {
    let index = Int(channel.fd)
    while channels.count <= index { channels.append(nil) }
    channels[index] = channel
  }

  /// Takes a channel out of the table.
  func unregister(_ channel: Channel) {
    channels[Int(channel.fd)] = nil
  }

  /// The channel with this descriptor, if it is still the one meant.
  func channel(fd: Int32, generation: UInt32) -> Channel? {
    let index = Int(fd)
    guard channels.indices.contains(index), let channel = channels[index], channel.generation == generation else { return nil }
    return channel
  }

  /// All channels that are open.
  var openChannels: [Channel] { channels.compactMap { $0 } }

  /// Adds a timer.
  func add(_ timer: LoopTimer, at deadline: ContinuousClock.Instant, _ action: @escaping @Sendable () -> Void) {
    timers[timer] = action
    deadlines.insert(.timer(timer), at: deadline)
  }

  /// Forgets a timer; its deadline stays in the heap until it passes or such leftovers are the larger part.
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

  /// Does what is due.
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

  /// Wakes everything that waits; see ``EventLoop/stop()``.
  func beginStop() {
    guard !isStopping else { return }
    isStopping = true
    stopDeadline = .now + .seconds(1)
    handshakes.resumeAll()
    for channel in openChannels { channel.wakeAll(.stopping) }
  }
}
