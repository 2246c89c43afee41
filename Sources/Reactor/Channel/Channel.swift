import CLinux
import Glibc

/// A descriptor registered with an event loop, and the calls suspended on it.
///
/// Interest in an event is registered lazily: when a call first waits for it. An event that arrives while no call waits is kept
/// in ``pending``, and interest in it is removed; so a connection that reads, responds and reads again needs no `epoll_ctl`. Each
/// call clears the event, tries, and waits only if there was nothing to do. (Edge-triggered events would save the kernel a second
/// check, under 2 % of the time of a small response, but a single spurious clear would stall the connection forever.)
///
/// `@unchecked Sendable`: it owns a descriptor, and only its loop's thread touches it.
final class Channel: @unchecked Sendable {
  /// The three calls that may be suspended at the same time.
  enum Slot: Int { case reader, writer, closer }

  /// Why a suspended call resumes.
  enum Wake { case ready, timedOut, cancelled, stopping, closed }

  private struct Waiter {
    let continuation: UnsafeContinuation<Wake, Never>
    let events: UInt32
    var deadline: ContinuousClock.Instant?
    let serial: UInt64
  }

  /// Events for ``wait(_:for:until:)``: input or its end; space to send; the peer closed its sending side.
  ///
  /// Input and its end may arrive as one event, so a reader is also woken by an end reported earlier.
  static let readable = EPOLLIN.rawValue | EPOLLRDHUP.rawValue
  static let writable = EPOLLOUT.rawValue
  static let peerClosed = EPOLLRDHUP.rawValue
  private static let broken = EPOLLHUP.rawValue | EPOLLERR.rawValue

  let loop: EventLoop

  /// The non-blocking descriptor.
  let fd: Int32

  /// Distinguishes this channel from earlier ones with the same descriptor.
  let generation: UInt32

  /// See ``ByteStream/task``.
  var task: Task<Void, Never>?

  /// See ``ByteStream/interruptsIdleReads``.
  var interruptsIdleReads = false

  /// See ``ByteStream/peerUser``; nil until it is looked up.
  var peerUser: UInt32?

  /// Whether the descriptor is open.
  private(set) var isOpen = true

  private var waiters: (reader: Waiter?, writer: Waiter?, closer: Waiter?)
  private var cancelled: (reader: UInt64, writer: UInt64, closer: UInt64) = (0, 0, 0)
  private var nextSerial: UInt64 = 0
  private var watched: UInt32 = 0
  /// Whether the descriptor is registered with epoll.
  private(set) var isWatching = false
  private var pending: UInt32 = 0
  /// Called first when input arrives while the reader waits; true if the input was consumed and the reader keeps waiting.
  private var tryConsume: (() -> Bool)?
  private var timer: ContinuousClock.Instant?
  private var callsBeforeYield = Channel.turn

  /// How many calls in a row may succeed without suspending before other connections get a turn.
  private static let turn = 32

  /// Takes ownership of a non-blocking descriptor; must run on the loop.
  init(fd: Int32, loop: EventLoop) {
    self.fd = fd
    self.loop = loop
    generation = loop.state.makeGeneration()
    waiters = (nil, nil, nil)
    loop.state.register(self)
  }

  /// Closes the descriptor and ends suspended calls with ``Wake/closed``.
  func close() {
    guard isOpen else { return }
    isOpen = false
    loop.state.unregister(self)
    // Closing also removes it from epoll. Do not retry on EINTR: Linux has closed the descriptor already.
    Glibc.close(fd)
    wakeAll(.closed)
  }

  /// Suspends until one of `events`, an error, the deadline, cancellation, stop or close.
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

  /// Suspends the reader like `wait`, but passes input to `tryConsume` first. Ignores cancellation: a caller that cancels also
  /// closes.
  ///
  /// A request with an immediate response then needs neither a cancellation handler nor a resumption (25 % of the time).
  nonisolated(nonsending) func waitForBytes(
    until deadline: ContinuousClock.Instant?, tryConsume: (() -> Bool)?
  ) async -> Wake {
    guard isOpen else { return .closed }
    callsBeforeYield = Self.turn
    nextSerial += 1
    let serial = nextSerial
    self.tryConsume = tryConsume
    // Other reads must not call it.
    defer { self.tryConsume = nil }
    // Input that arrived earlier causes no further event.
    if pending & Self.readable != 0, !loop.state.isStopping, !consumePending() { return .ready }
    return await withUnsafeContinuation { continuation in
      suspend(.reader, Waiter(continuation: continuation, events: Self.readable, deadline: deadline, serial: serial))
    }
  }

  /// Whether `tryConsume` consumes the input; an end or an error is left to the task.
  private func consumePending() -> Bool {
    guard let tryConsume, pending & (Self.broken | Self.peerClosed) == 0, tryConsume() else { return false }
    return pending & Self.readable == 0
  }

  /// Changes the deadline of a suspended reader.
  func postponeReader(until deadline: ContinuousClock.Instant) { waiters.reader?.deadline = deadline }

  /// Clears an event before a call tries; the end of the peer's input stays set.
  func clearReady(_ events: UInt32) { pending &= ~events | Self.peerClosed }

  /// Sets an event again because a call may have left something to do.
  func markReady(_ events: UInt32) { pending |= events & ~Self.peerClosed }

  /// Counts a call that succeeded without suspending; yields from time to time.
  ///
  /// - Returns: Why the caller must stop; nil if it may continue.
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
    // Checked here and not before the call suspends: in between, the runtime may run code that does not see this call as waiting.
    if loop.state.isStopping || slot == .reader && interruptsIdleReads && loop.state.interruptsIdleReads {
      return waiter.continuation.resume(returning: .stopping)
    }
    guard cancelledSerial(slot) != waiter.serial else { return waiter.continuation.resume(returning: .cancelled) }
    guard watch(waiter.events) else { return waiter.continuation.resume(returning: .closed) }
    // A call that waits for its deadline only (no events) must not be woken by an earlier event.
    if waiter.events != 0, pending & (waiter.events | Self.broken) != 0 { return waiter.continuation.resume(returning: .ready) }
    self[slot] = waiter
    if let deadline = waiter.deadline { setTimer(deadline) }
  }

  private func watch(_ events: UInt32) -> Bool {
    // A call that waits for its deadline only needs no epoll registration, for which memory may be lacking.
    guard events & ~watched != 0 else { return true }
    let wanted = watched | events
    let isDone =
      isWatching ? loop.poller.modify(fd, token: token, events: wanted) : loop.poller.add(fd, token: token, events: wanted)
    guard isDone else { return false }
    (isWatching, watched) = (true, wanted)
    return true
  }

  private var token: UInt64 { UInt64(generation) << 32 | UInt64(UInt32(bitPattern: fd)) }

  /// Resumes the calls that wait for these events; keeps the others and removes interest in them.
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
      // Epoll reports these two whether requested or not, which would keep the loop from sleeping.
      loop.poller.remove(fd)
      (isWatching, watched) = (false, 0)
      return
    }
    let unclaimed = events & watched & ~claimed
    guard unclaimed != 0 else { return }
    watched &= ~unclaimed
    _ = loop.poller.modify(fd, token: token, events: watched)
  }

  /// Resumes the calls whose deadline has passed.
  func handleDeadline(_ deadline: ContinuousClock.Instant, now: ContinuousClock.Instant) {
    guard timer == deadline else { return }
    timer = nil
    for slot in [Slot.reader, .writer, .closer] {
      guard let waiter = self[slot], let deadline = waiter.deadline else { continue }
      if deadline <= now { wake(slot, .timedOut) } else { setTimer(deadline) }
    }
  }

  /// One heap entry covers all deadlines of a channel that are not earlier, so extending a deadline costs nothing.
  private func setTimer(_ deadline: ContinuousClock.Instant) {
    if let timer, timer <= deadline { return }
    timer = deadline
    loop.state.deadlines.insert(.channel(fd: fd, generation: generation), at: deadline)
  }

  /// Resumes a suspended call.
  func wake(_ slot: Slot, _ reason: Wake) {
    guard let waiter = self[slot] else { return }
    self[slot] = nil
    waiter.continuation.resume(returning: reason)
  }

  /// Resumes every suspended call.
  func wakeAll(_ reason: Wake) {
    for slot in [Slot.reader, .writer, .closer] { wake(slot, reason) }
  }

  /// Whether a call is suspended in this slot.
  private func isWaiting(_ slot: Slot) -> Bool { self[slot] != nil }

  private func cancel(_ slot: Slot, serial: UInt64) {
    if self[slot]?.serial == serial {
      wake(slot, .cancelled)
    } else {
      // The call may be canceled before it suspends.
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
  /// The error that the suspended call throws; nil if it may try again.
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

extension Channel {
  /// The most bytes of input to discard; a browser with too many cookies sends about as much.
  private static let lingering = 1024 * 1024

  /// See ``ByteStream/closeLingering()``. Encrypted bytes are discarded undecrypted.
  nonisolated(nonsending) func closeLingering() async {
    guard isOpen else { return }
    guard !isWaiting(.reader), shutdown(fd, Int32(SHUT_WR)) == 0 else { return close() }
    interruptsIdleReads = false
    let deadline = ContinuousClock.now + .seconds(1)
    var rest = Self.lingering
    while rest > 0, isOpen {
      let scratch = loop.state.scratch
      clearReady(Channel.readable)
      let count = recv(fd, scratch.baseAddress, min(rest, scratch.count), 0)
      if count > 0 {
        rest -= count
        continue
      }
      let code = count < 0 ? errno : 0
      if code == EINTR { continue }
      if code == EAGAIN {
        guard await wait(.reader, for: Channel.readable, until: deadline) == .ready else { break }
      } else if MemoryShortage.matches(code) {
        guard await self.pause(.reader, until: deadline) == .ready else { break }
      } else {
        break
      }
    }
    close()
  }
}
