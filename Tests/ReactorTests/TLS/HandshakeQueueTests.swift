@testable import Reactor
import Locking
import Testing

@Suite(.timeLimit(.minutes(1)))
struct HandshakeQueueTests {
  @Test func aTurnDoesABoundedNumberAndTheRestFollowsInOrder() async throws {
    let loop = try EventLoop.start(name: "test")
    let done = Record<Int>()
    let (first, tasks) = await Task(executorPreference: loop) {
      let tasks = (0..<100).map { index in
        Task(executorPreference: loop) {
          await loop.state.handshakes.enter()
          done.append(index)
        }
      }
      // One round of jobs: all have called `enter`, and no turn has begun since.
      await Task.yield()
      return (done.values.count, tasks)
    }.value
    #expect(first == HandshakeQueue.turn)
    for task in tasks { await task.value }
    #expect(done.values == Array(0..<100))
    await loop.stop()
  }

  @Test func aStopLetsEverybodyGoOn() async throws {
    let loop = try EventLoop.start(name: "test")
    let tasks = (0..<100).map { _ in Task(executorPreference: loop) { await loop.state.handshakes.enter() } }
    await loop.stop()
    for task in tasks { await task.value }
  }
}
