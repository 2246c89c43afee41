@testable import Reactor
import Testing

struct LoopStateTests {
  @Test func cancelledTimersDoNotPileUp() {
    let state = LoopState()
    let deadline = ContinuousClock.now + .seconds(3600)
    for id in 0..<10_000 {
      let timer = LoopTimer(id: UInt64(id))
      state.add(timer, at: deadline) {}
      state.cancel(timer)
    }
    #expect(state.deadlines.count < 200)
  }

  @Test func generationsTellChannelsWithOneDescriptorApart() {
    let state = LoopState()
    #expect(state.makeGeneration() != state.makeGeneration())
    #expect(state.channel(fd: 3, generation: 1) == nil)
    #expect(state.channel(fd: -1, generation: 1) == nil)
  }
}
