import Locking
import Support
import Testing

@Suite struct LockedTests {
  @Test func manyTasksCountTogether() async {
    final class Sum: Sendable { let number = Locked(0) }
    let sum = Sum()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<64 {
        group.addTask {
          for _ in 0..<200 {
            sum.number.withLock { $0 += 1 }
            await Task.yield()
          }
        }
      }
    }
    #expect(sum.number.withLock { $0 } == 64 * 200)
  }

  @Test func anErrorPassesAndTheLockIsFree() {
    struct Refusal: Error {}
    let state = Locked(1)
    #expect(throws: Refusal.self) {
      try state.withLock { value throws(Refusal) in
        value = 2
        throw Refusal()
      }
    }
    #expect(state.withLock { $0 } == 2)
  }

  @Test func aReferenceIsStoredOnce() {
    final class Object: Sendable {}
    let reference = LazyReference<Object>()
    let first = Object()
    let second = Object()
    #expect(reference.value == nil)
    #expect(reference.setIfNil(first) === first)
    #expect(reference.setIfNil(second) === first)
    #expect(reference.value === first)
  }
}
