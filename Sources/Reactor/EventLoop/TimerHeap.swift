/// A binary heap of deadlines; equal deadlines are returned in the order of insertion.
struct TimerHeap<Value> {
  private var entries: [(deadline: ContinuousClock.Instant, order: UInt64, value: Value)] = []
  private var nextOrder: UInt64 = 0

  /// The number of entries.
  var count: Int { entries.count }

  /// The earliest deadline.
  var first: ContinuousClock.Instant? { entries.first?.deadline }

  /// Adds a value; O(log n).
  mutating func insert(_ value: Value, at deadline: ContinuousClock.Instant) {
    entries.append((deadline, nextOrder, value))
    nextOrder &+= 1
    var child = entries.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard precedes(child, parent) else { break }
      entries.swapAt(child, parent)
      child = parent
    }
  }

  /// Removes and returns the earliest entry if its deadline is not after `now`.
  mutating func popFirst(notAfter now: ContinuousClock.Instant) -> (deadline: ContinuousClock.Instant, value: Value)? {
    guard let first = entries.first, first.deadline <= now else { return nil }
    let last = entries.removeLast()
    if !entries.isEmpty {
      entries[0] = last
      sink()
    }
    return (first.deadline, first.value)
  }

  /// Removes every entry that `isStale`; O(n log n).
  mutating func removeAll(where isStale: (Value) -> Bool) {
    entries.removeAll { isStale($0.value) }
    entries.sort { ($0.deadline, $0.order) < ($1.deadline, $1.order) }
  }

  private mutating func sink() {
    var parent = 0
    while true {
      let left = 2 * parent + 1
      guard left < entries.count else { return }
      let right = left + 1
      let child = right < entries.count && precedes(right, left) ? right : left
      guard precedes(child, parent) else { return }
      entries.swapAt(child, parent)
      parent = child
    }
  }

  private func precedes(_ a: Int, _ b: Int) -> Bool {
    (entries[a].deadline, entries[a].order) < (entries[b].deadline, entries[b].order)
  }
}
