import CLinux
import Glibc
import Locking

/// A thread that waits for sockets and timers and runs the tasks that prefer it as executor.
///
/// Jobs enqueued on the loop's own thread go into an array that runs before the next poll; jobs from other threads take a lock,
/// and wake the loop only if it sleeps. Jobs that arrive after ``stop()`` run on the global executor.
///
/// `@unchecked Sendable`: it owns the epoll descriptor, and only the loop's thread touches ``state``.
package final class EventLoop: TaskExecutor, @unchecked Sendable {
  /// Work from other threads.
  struct Inbox {
    var jobs: [UnownedJob] = []
    var actions: [@Sendable () -> Void] = []
    var isSleeping = false
    var isTerminated = false
    var onTermination: [@Sendable () -> Void] = []
  }

  /// The thread's name, visible in `top -H`.
  package let name: String

  /// Jobs and actions from other threads.
  private let inbox = Locked(Inbox())

  /// The epoll set.
  let poller: Poller

  /// State that only the loop's thread may touch.
  let state: LoopState

  private let thread = AtomicWord()
  private let timerIDs = AtomicCounter(1)

  private init(name: String) throws(ReactorError) {
    self.name = name
    poller = try Poller()
    state = LoopState()
  }

  /// Creates a loop and starts its thread.
  ///
  /// - Throws: ``ReactorError/system(call:code:)`` if the process is out of descriptors or threads.
  package static func start(name: String) throws(ReactorError) -> EventLoop {
    let loop = try EventLoop(name: name)
    // Writing to a closed connection must fail with an error, not end the process; OpenSSL writes without MSG_NOSIGNAL.
    signal(SIGPIPE, SIG_IGN)
    // Open it now, while descriptors are available.
    _ = AnonymousFile.shared
    var thread = pthread_t()
    let retained = Unmanaged.passRetained(loop)
    let code = pthread_create(
      &thread, nil,
      { context in
        guard let context else { return nil }
        Unmanaged<EventLoop>.fromOpaque(context).takeRetainedValue().threadMain()
        return nil
      }, retained.toOpaque())
    guard code == 0 else {
      retained.release()
      throw .system(call: "pthread_create", code: code)
    }
    pthread_detach(thread)
    return loop
  }

  private func threadMain() {
    thread.set(CurrentThread.id)
    pthread_setname_np(pthread_self(), String(name.prefix(15)))
    run()
    thread.set(0)
    let waiters = inbox.withLock { inbox in
      defer { inbox.onTermination = [] }
      return inbox.onTermination
    }
    for waiter in waiters { waiter() }
  }

  /// Whether the caller runs on this loop's thread.
  package var isCurrent: Bool { thread.value == CurrentThread.id }

  /// The start of the current turn, for uses that need no exact time; only on the loop.
  package var turnTime: ContinuousClock.Instant { state.turnTime }

  /// Enqueues a job; called by the concurrency runtime.
  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    if isCurrent {
      state.jobs.append(job)
      return
    }
    let isTaken = inbox.withLock { inbox in
      guard !inbox.isTerminated else { return false }
      inbox.jobs.append(job)
      wakeIfAsleep(&inbox)
      return true
    }
    if !isTaken { globalConcurrentExecutor.enqueue(job) }
  }

  /// Runs an action on the loop, in the order of the calls.
  ///
  /// - Returns: False if the loop has stopped; the action will not run.
  @discardableResult
  package func execute(_ action: @escaping @Sendable () -> Void) -> Bool {
    inbox.withLock { inbox in
      guard !inbox.isTerminated else { return false }
      inbox.actions.append(action)
      wakeIfAsleep(&inbox)
      return true
    }
  }

  /// Called under the lock, so that the `eventfd` cannot be closed meanwhile.
  private func wakeIfAsleep(_ inbox: inout Inbox) {
    guard inbox.isSleeping else { return }
    inbox.isSleeping = false
    poller.wake()
  }

  /// Calls `action` on the loop when `deadline` has passed, unless the timer is canceled or the loop stops first.
  @discardableResult
  package func schedule(at deadline: ContinuousClock.Instant, _ action: @escaping @Sendable () -> Void) -> LoopTimer {
    let timer = LoopTimer(id: UInt64(timerIDs.add()))
    if isCurrent {
      state.add(timer, at: deadline, action)
    } else {
      execute { self.state.add(timer, at: deadline, action) }
    }
    return timer
  }

  /// Cancels a timer; does nothing if it has fired.
  package func cancel(_ timer: LoopTimer) {
    if isCurrent {
      state.cancel(timer)
    } else {
      execute { self.state.cancel(timer) }
    }
  }

  /// Ends the idle reads of all streams that allow it, from now on; see ``ByteStream/interruptsIdleReads``.
  package func interruptIdleReads() {
    execute { self.state.interruptIdleReads() }
  }

  /// Stops listening, ends every suspended call with ``StreamError/stopping``, lets the resumed tasks run for at most one second,
  /// closes every descriptor and returns when the thread has ended.
  package func stop() async {
    await withCheckedContinuation { continuation in
      let isRunning = inbox.withLock { inbox in
        guard !inbox.isTerminated || thread.value != 0 else { return false }
        inbox.onTermination.append { continuation.resume() }
        if !inbox.isTerminated {
          inbox.actions.append { self.state.beginStop() }
          wakeIfAsleep(&inbox)
        }
        return true
      }
      if !isRunning { continuation.resume() }
    }
  }
}

/// A timer made by ``EventLoop/schedule(at:_:)``.
package struct LoopTimer: Sendable, Hashable {
  /// The ID, unique within the loop.
  let id: UInt64
}

extension EventLoop {
  /// The main function of the thread: runs jobs, polls, dispatches events and fires deadlines until the loop is stopped.
  private func run() {
    while true {
      takeInbox(beforeSleep: false)
      state.handshakes.beginTurn()
      runJobs()
      if state.isStopping, isStopDone() { break }
      let timeout = takeInbox(beforeSleep: true)
      poller.wait(milliseconds: timeout, onWake: { state.turnTime = .now }) { token, events in
        let fd = Int32(truncatingIfNeeded: token)
        state.channel(fd: fd, generation: UInt32(truncatingIfNeeded: token >> 32))?.handle(events)
      }
      if state.deadlines.count > 0 { state.fireDeadlines(now: state.turnTime) }
    }
    terminate()
  }

  /// Runs ready jobs, and those they make ready, for a few rounds; then sockets get a turn.
  private func runJobs() {
    // Jobs do not run on a serial executor: there, a task enqueues itself again after each call that returns to a function without
    // isolation, which were seven of the nine jobs of a request.
    let executor = asUnownedTaskExecutor()
    var rounds = 0
    while !state.jobs.isEmpty, rounds < 8 {
      rounds += 1
      var batch: [UnownedJob] = []
      swap(&batch, &state.jobs)
      for job in batch { job.runSynchronously(on: executor) }
      // Reuse the emptied array's capacity if no new jobs were added.
      if state.jobs.isEmpty {
        batch.removeAll(keepingCapacity: true)
        swap(&batch, &state.jobs)
      }
    }
  }

  /// Moves jobs and actions from other threads to the loop's own queue.
  ///
  /// - Returns: How long the loop may sleep in milliseconds; 0 if there is work, -1 for no limit.
  @discardableResult
  private func takeInbox(beforeSleep: Bool) -> Int32 {
    let timeout = beforeSleep ? sleepTime() : 0
    var actions: [@Sendable () -> Void] = []
    let result = inbox.withLock { inbox -> Int32 in
      inbox.isSleeping = false
      if inbox.jobs.isEmpty, inbox.actions.isEmpty {
        inbox.isSleeping = timeout != 0
        return timeout
      }
      state.jobs.append(contentsOf: inbox.jobs)
      inbox.jobs.removeAll(keepingCapacity: true)
      swap(&actions, &inbox.actions)
      return 0
    }
    for action in actions { action() }
    return result
  }

  private func sleepTime() -> Int32 {
    guard state.jobs.isEmpty, state.handshakes.isEmpty else { return 0 }
    guard let first = state.deadlines.first else { return -1 }
    let rest = first - .now
    guard rest > .zero else { return 0 }
    let (seconds, attoseconds) = rest.components
    // Rounded up, or the loop would poll repeatedly within the last millisecond.
    return Int32(min(seconds, 60) * 1000) + Int32(attoseconds / 1_000_000_000_000_000) + 1
  }

  private func isStopDone() -> Bool {
    if let deadline = state.stopDeadline, deadline <= .now { return true }
    return state.jobs.isEmpty && inbox.withLock { $0.jobs.isEmpty && $0.actions.isEmpty }
  }

  private func terminate() {
    var leftover: [UnownedJob] = []
    while true {
      for channel in state.openChannels { channel.close() }
      state.handshakes.resumeAll()
      runJobs()
      takeInbox(beforeSleep: false)
      let isTerminated = inbox.withLock { inbox in
        guard inbox.jobs.isEmpty, inbox.actions.isEmpty, state.openChannels.isEmpty else { return false }
        guard state.jobs.isEmpty || (state.stopDeadline ?? .now) <= .now else { return false }
        inbox.isTerminated = true
        swap(&leftover, &state.jobs)
        return true
      }
      if isTerminated { break }
    }
    for job in leftover { globalConcurrentExecutor.enqueue(job) }
  }
}
