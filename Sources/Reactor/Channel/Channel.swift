import CLinux
import Glibc

/// One watched descriptor of a loop with the calls that are suspended on it.
///
/// Watching is lazy: an event is asked for when a call first waits for it, and is switched off when it comes while nobody
/// waits, but kept in ``pending`` for who comes; a connection that reads, answers and reads again costs no `epoll_ctl`. Every
/// call forgets the event, tries, and waits only where the try found nothing. (Edges would save the kernel a second look,
/// under 2 % of a small answer's time, but one call that fails without need would then be the connection's last.)
///
/// Unchecked: it owns a descriptor, and only its loop's thread touches it.
final class Channel: @unchecked Sendable {
  /// Which of the three calls that may be suspended together.
  enum Slot: Int { case reader, writer, closer }

  /// Why a suspended call goes on.
  enum Wake { case ready, timedOut, cancelled, stopping, closed }

  private struct Waiter {
    let continuation: UnsafeContinuation<Wake, Never>
    let events: UInt32
    var deadline: ContinuousClock.Instant?
    let serial: UInt64
  }

  /// Events for ``wait(_:for:until:)``: bytes or the end of input; room to send; the peer sends no more.
  ///
  /// Bytes and the end of input may be told by one edge, so whoever waits for bytes is woken by an end told before.
  static let readable = EPOLLIN.rawValue | EPOLLRDHUP.rawValue
  static let writable = EPOLLOUT.rawValue
  static let peerClosed = EPOLLRDHUP.rawValue
  private static let broken = EPOLLHUP.rawValue | EPOLLERR.rawValue

  /// The loop whose thread uses this.
  let loop: EventLoop

  /// The descriptor, non-blocking.
  let fd: Int32

  /// Tells this channel from an earlier one with the same descriptor.
  let generation: UInt32

  /// See ``ByteStream/task``.
  var task: Task<Void, Never>?

  /// See ``ByteStream/interruptsIdleReads``.
  var interruptsIdleReads = false

  /// See ``ByteStream/peerUser``; nil until it was found.
  var peerUser: UInt32?

  /// Whether the descriptor may still be used.
  private(set) var isOpen = true

  private var waiters: (reader: Waiter?, writer: Waiter?, closer: Waiter?)
  private var cancelled: (reader: UInt64, writer: UInt64, closer: UInt64) = (0, 0, 0)
  private var nextSerial: UInt64 = 0
  private var watched: UInt32 = 0
  /// Whether the kernel watches the descriptor.
  private(set) var isWatching = false
  private var pending: UInt32 = 0
  /// Asked first when bytes arrive while the reader waits; true where it has dealt with them and the reader goes on waiting.
  private var tryConsume: (() -> Bool)?
  private var timer: ContinuousClock.Instant?
  private var callsBeforeYield = Channel.turn

  /// How many calls in a row may succeed at once before other connections get their turn.
  private static let turn = 32

  /// Takes over a non-blocking descriptor; must run on the loop.
  init(fd: Int32, loop: EventLoop) {
    self.fd = fd
    self.loop = loop
    generation = loop.state.makeGeneration()
    waiters = (nil, nil, nil)
    loop.state.register(self)
  }

  /// Closes the descriptor, once, and ends suspended calls with ``Wake/closed``.
  func close() {
    guard isOpen else { return }
    isOpen = false
    loop.state.unregister(self)
    // Closing also removes it from epoll. EINTR must not be retried on Linux: the descriptor is gone already.
    Glibc.close(fd)
    wakeAll(.closed)
  }

  /// Suspends until one of `events`, an error on the descriptor, the deadline, cancellation, stop or close.
  nonisolated(nonsending) func wait(_ slot: Slot, for events: UInt32, until deadline: ContinuousClock.Instant?) async -> Wake {
    guard isOpen else { return .closed }
    callsBeforeYield = Self.turn
    nextSerial += 1
    let serial = nextSerial
    return await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
        suspend(slot, Waiter(continuation: continuation, events: events, deadline: deadline, serial: serial))
      }
    } onCancel: {
      loop.execute { self.cancel(slot, serial: serial) }
    }
  }

  /// Suspends the reader as `wait` does, but offers what arrives first, and does not heed cancellation: whoever cancels closes.
  ///
  /// Neither a handler for cancellation nor a resumption is then paid for a request that is answered at once (25 % of the time).
  nonisolated(nonsending) func waitForBytes(
    until deadline: ContinuousClock.Instant?, tryConsume: (() -> Bool)?
  ) async -> Wake {
    guard isOpen else { return .closed }
    callsBeforeYield = Self.turn
    nextSerial += 1
    let serial = nextSerial
    self.tryConsume = tryConsume
    // Else it would be asked during other reads.
    defer { self.tryConsume = nil }
    // What came before this call has its event behind it.
    if pending & Self.readable != 0, !loop.state.isStopping, !consumePending() { return .ready }
    return await withUnsafeContinuation { continuation in
      suspend(.reader, Waiter(continuation: continuation, events: Self.readable, deadline: deadline, serial: serial))
    }
  }

  /// Whether what has arrived is used up by `tryConsume`; an end or an error is the task's to find out.
  private func consumePending() -> Bool {
    guard let tryConsume, pending & (Self.broken | Self.peerClosed) == 0, tryConsume() else { return false }
    return pending & Self.readable == 0
  }

  /// Moves the deadline of a suspended reader.
  func postponeReader(until deadline: ContinuousClock.Instant) { waiters.reader?.deadline = deadline }

  /// Forgets an event that a call is about to use; that the peer sends no more stays true.
  func clearReady(_ events: UInt32) { pending &= ~events | Self.peerClosed }

  /// Notes that a call took less than there may be.
  func markReady(_ events: UInt32) { pending |= events & ~Self.peerClosed }

  /// Counts a call that succeeded at once; from time to time lets others run.
  ///
  /// - Returns: why the caller must not go on, nil when it may.
  nonisolated(nonsending) func yieldIfNeeded(deadline: ContinuousClock.Instant?) async -> Wake? {
    callsBeforeYield -= 1
    guard callsBeforeYield <= 0 else { return nil }
    callsBeforeYield = Self.turn
    await Task.yield()
    if !isOpen { return .closed }
    if loop.state.isStopping { return .stopping }
    if Task.isCancelled { return .cancelled }
    if let deadline, deadline <= .now { return .timedOut }
    return nil
  }

  private func suspend(_ slot: Slot, _ waiter: Waiter) {
    precondition(loop.isCurrent, "a stream was used outside its event loop")
    precondition(self[slot] == nil, "two calls of one kind at once on a stream")
    guard isOpen else { return waiter.continuation.resume(returning: .closed) }
    // Asked here and not before the call suspends: the runtime may let others run in between, and who was not seen waiting is
    // not woken.
    if loop.state.isStopping || slot == .reader && interruptsIdleReads && loop.state.interruptsIdleReads {
      return waiter.continuation.resume(returning: .stopping)
    }
    guard cancelledSerial(slot) != waiter.serial else { return waiter.continuation.resume(returning: .cancelled) }
    guard watch(waiter.events) else { return waiter.continuation.resume(returning: .closed) }
    // Who rests for a time alone (no events) is not to be woken by what came before.
    if waiter.events != 0, pending & (waiter.events | Self.broken) != 0 { return waiter.continuation.resume(returning: .ready) }
    self[slot] = waiter
    if let deadline = waiter.deadline { setTimer(deadline) }
  }

  private func watch(_ events: UInt32) -> Bool {
    // Who waits for a deadline alone needs no place in the set, which there may be no memory for.
    guard events & ~watched != 0 else { return true }
    let wanted = watched | events
    let isDone =
      isWatching ? loop.poller.modify(fd, token: token, events: wanted) : loop.poller.add(fd, token: token, events: wanted)
    guard isDone else { return false }
    (isWatching, watched) = (true, wanted)
    return true
  }

  private var token: UInt64 { UInt64(generation) << 32 | UInt64(UInt32(bitPattern: fd)) }

  /// Wakes who waits for these events; keeps what nobody waits for, and stops watching it.
  func handle(_ events: UInt32) {
    pending |= events
    var claimed: UInt32 = 0
    if let waiter = waiters.reader, events & (waiter.events | Self.broken) != 0 {
      claimed |= waiter.events
      if events & Self.readable == 0 || !consumePending() { wake(.reader, .ready) }
    }
    if let waiter = waiters.writer, events & (waiter.events | Self.broken) != 0 {
      claimed |= waiter.events
      wake(.writer, .ready)
    }
    if let waiter = waiters.closer, events & (waiter.events | Self.broken) != 0 {
      claimed |= waiter.events
      wake(.closer, .ready)
    }
    guard isOpen else { return }
    if events & Self.broken != 0, claimed == 0 {
      // These two are reported whether asked for or not, and would keep the loop from sleeping.
      loop.poller.remove(fd)
      (isWatching, watched) = (false, 0)
      return
    }
    let unclaimed = events & watched & ~claimed
    guard unclaimed != 0 else { return }
    watched &= ~unclaimed
    _ = loop.poller.modify(fd, token: token, events: watched)
  }

  /// Wakes who has waited long enough.
  func handleDeadline(_ deadline: ContinuousClock.Instant, now: ContinuousClock.Instant) {
    guard timer == deadline else { return }
    timer = nil
    for slot in [Slot.reader, .writer, .closer] {
      guard let waiter = self[slot], let deadline = waiter.deadline else { continue }
      if deadline <= now { wake(slot, .timedOut) } else { setTimer(deadline) }
    }
  }

  /// One heap entry stands for all of a channel's deadlines that are not earlier: a deadline that moves on costs nothing.
  private func setTimer(_ deadline: ContinuousClock.Instant) {
    if let timer, timer <= deadline { return }
    timer = deadline
    loop.state.deadlines.insert(.channel(fd: fd, generation: generation), at: deadline)
  }

  /// Lets a suspended call go on.
  func wake(_ slot: Slot, _ reason: Wake) {
    guard let waiter = self[slot] else { return }
    self[slot] = nil
    waiter.continuation.resume(returning: reason)
  }

  /// Lets every suspended call go on.
  func wakeAll(_ reason: Wake) {
    for slot in [Slot.reader, .writer, .closer] { wake(slot, reason) }
  }

  /// Whether a call is suspended in this slot.
  func isWaiting(_ slot: Slot) -> Bool { self[slot] != nil }

  private func cancel(_ slot: Slot, serial: UInt64) {
    if self[slot]?.serial == serial {
      wake(slot, .cancelled)
    } else {
      // The call may not be suspended yet.
      switch slot {
      case .reader: cancelled.reader = serial
      case .writer: cancelled.writer = serial
      case .closer: cancelled.closer = serial
      }
    }
  }

  private func cancelledSerial(_ slot: Slot) -> UInt64 {
    switch slot {
    case .reader: cancelled.reader
    case .writer: cancelled.writer
    case .closer: cancelled.closer
    }
  }

  private subscript(slot: Slot) -> Waiter? {
    get {
      switch slot {
      case .reader: waiters.reader
      case .writer: waiters.writer
      case .closer: waiters.closer
      }
    }
    set {
      switch slot {
      case .reader: waiters.reader = newValue
      case .writer: waiters.writer = newValue
      case .closer: waiters.closer = newValue
      }
    }
  }
}

extension Channel.Wake {
  /// What the suspended call throws; nil when it may try again.
  var error: StreamError? {
    switch self {
    case .ready: nil
    case .timedOut: .timedOut
    case .cancelled: .cancelled
    case .stopping: .stopping
    case .closed: .closed
    }
  }
}
