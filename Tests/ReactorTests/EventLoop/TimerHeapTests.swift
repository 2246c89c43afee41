@testable import Reactor
import Testing

struct TimerHeapTests {
  private let start = ContinuousClock.now

  private func drained(_ heap: inout TimerHeap<Int>, until seconds: Int) -> [Int] {
    var values: [Int] = []
    while let next = heap.popFirst(notAfter: start + .seconds(seconds)) { values.append(next.value) }
    return values
  }

  @Test func valuesLeaveByDeadlineThenByArrival() {
    var heap = TimerHeap<Int>()
    var generator = SystemRandomNumberGenerator()
    let deadlines = (0..<1000).map { _ in Int.random(in: 0..<50, using: &generator) }
    for (index, deadline) in deadlines.enumerated() { heap.insert(index, at: start + .seconds(deadline)) }
    let expected = deadlines.indices.sorted { (deadlines[$0], $0) < (deadlines[$1], $1) }
    #expect(heap.count == 1000)
    #expect(drained(&heap, until: 100) == expected)
    #expect(heap.first == nil)
  }

  @Test func nothingLeavesEarly() {
    var heap = TimerHeap<Int>()
    for second in [5, 3, 9] { heap.insert(second, at: start + .seconds(second)) }
    #expect(drained(&heap, until: 2) == [])
    #expect(drained(&heap, until: 5) == [3, 5])
    #expect(heap.first == start + .seconds(9))
  }

  @Test func removedValuesNeverLeaveAndTheOrderStays() {
    var heap = TimerHeap<Int>()
    for second in (0..<100).reversed() { heap.insert(second, at: start + .seconds(second)) }
    heap.removeAll { $0 % 3 != 0 }
    heap.insert(50, at: start + .seconds(50))
    #expect(drained(&heap, until: 200) == ((0..<100).filter { $0 % 3 == 0 } + [50]).sorted())
  }
}
