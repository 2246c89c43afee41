import Glibc
@testable import Reactor
import Testing

struct GatherPositionTests {
  /// Everything in order, when the kernel takes at most `step` bytes a time.
  private func sent(_ buffers: [[UInt8]], step: Int) -> [UInt8] {
    var position = GatherPosition(buffers)
    var all: [UInt8] = []
    while !position.isDone {
      var taken: [UInt8] = []
      _ = position.withVectors { vectors in
        for vector in vectors { taken += UnsafeRawBufferPointer(start: vector.iov_base, count: vector.iov_len) }
        return 0
      }
      all += taken.prefix(step)
      position.advance(by: min(step, taken.count))
    }
    return all
  }

  @Test(arguments: [1, 2, 3, 7, 64, 100_000]) func anyPartialSendGoesOnWhereItStopped(step: Int) {
    let buffers: [[UInt8]] = [[], [1], [2, 3, 4], [], [], pattern(100), [9], []] + (0..<40).map { [$0, $0] }
    #expect(sent(buffers, step: step) == buffers.flatMap { $0 })
  }

  @Test func nothingToSendIsDoneAtOnce() {
    #expect(GatherPosition([]).isDone)
    #expect(GatherPosition([[], []]).isDone)
  }
}
