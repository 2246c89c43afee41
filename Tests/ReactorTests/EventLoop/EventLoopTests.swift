import CLinux
import Glibc
import Reactor
import Locking
import Testing

@Suite(.timeLimit(.minutes(1)))
struct EventLoopTests {
  /// An event loop while `body` runs.
  private func withLoop<T>(_ body: (EventLoop) async throws -> T) async throws -> T {
    let loop = try EventLoop.start(name: "test")
    do {
      let result = try await body(loop)
      await loop.stop()
      return result
    } catch {
      await loop.stop()
      throw error
    }
  }

  @Test func tasksThatPreferTheLoopStayOnItAcrossSuspensions() async throws {
    try await withLoop { loop in
      let stayed = await Task(executorPreference: loop) {
        var all = loop.isCurrent
        for _ in 0..<100 {
          await Task.yield()
          all = all && loop.isCurrent
        }
        return all
      }.value
      #expect(stayed)
      #expect(!loop.isCurrent)
    }
  }

  @Test func jobsOfTheOwnThreadRunInTheOrderOfTheirMaking() async throws {
    try await withLoop { loop in
      let seen = Record<Int>()
      await Task(executorPreference: loop) {
        let tasks = (0..<500).map { index in Task(executorPreference: loop) { seen.append(index) } }
        for task in tasks { await task.value }
      }.value
      #expect(seen.values == Array(0..<500))
    }
  }

  @Test func foreignActionsRunInOrderAndNoneIsLost() async throws {
    try await withLoop { loop in
      let seen = Record<Int>()
      for index in 0..<10_000 { loop.execute { seen.append(index) } }
      let done = Signal<Void>()
      loop.execute { done.fulfil() }
      await done.value
      #expect(seen.values == Array(0..<10_000))
    }
  }

  @Test func tenThousandForeignJobsWakeASleepingLoop() async throws {
    try await withLoop { loop in
      var onLoop = 0
      // One at a time: the loop sleeps in between.
      for _ in 0..<10_000 where await Task(executorPreference: loop, operation: { loop.isCurrent }).value { onLoop += 1 }
      #expect(onLoop == 10_000)
    }
  }

  @Test func callsDoNotEndATurn() async throws {
    @inline(never) func step() async {}
    @inline(never) nonisolated(nonsending) func steps() async { for _ in 0..<100 { await step() } }
    try await withLoop { loop in
      let isNextTurn = Locked(false)
      let stayed = await Task(executorPreference: loop) {
        loop.execute { isNextTurn.withLock { $0 = true } }
        await steps()
        return isNextTurn.withLock { !$0 }
      }.value
      #expect(stayed)
    }
  }

  @Test func timersFireInTheOrderOfTheirDeadlines() async throws {
    try await withLoop { loop in
      let seen = Record<Int>()
      let done = Signal<Void>()
      let start = ContinuousClock.now
      for index in [3, 1, 2, 0, 4] {
        loop.schedule(at: start + .milliseconds(10 + index * 5)) {
          seen.append(index)
          if index == 4 { done.fulfil() }
        }
      }
      await done.value
      #expect(seen.values == [0, 1, 2, 3, 4])
      #expect(start.duration(to: .now) >= .milliseconds(30))
    }
  }

  @Test func aCancelledTimerNeverFires() async throws {
    try await withLoop { loop in
      let fired = Locked(false)
      let done = Signal<Void>()
      let timer = loop.schedule(at: .now + .milliseconds(20)) { fired.withLock { $0 = true } }
      loop.schedule(at: .now + .milliseconds(60)) { done.fulfil() }
      loop.cancel(timer)
      await done.value
      #expect(!fired.withLock { $0 })
    }
  }

  @Test func jobsAfterTheStopStillRun() async throws {
    let loop = try EventLoop.start(name: "test")
    let gate = Signal<Void>()
    let task = Task(executorPreference: loop) {
      await gate.value
      return 7
    }
    await loop.stop()
    gate.fulfil()
    #expect(await task.value == 7)
    #expect(!loop.execute {})
    await loop.stop()
  }
}
