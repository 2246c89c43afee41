import Locking

extension EventLoop {
  /// The main function of the thread: runs jobs, polls, dispatches events and fires deadlines until the loop is stopped.
  func run() {
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
    // Not as a serial executor: a task on a serial executor enqueues itself anew behind each call that returns to a function without
    // isolation, which were seven jobs of nine for a request.
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
