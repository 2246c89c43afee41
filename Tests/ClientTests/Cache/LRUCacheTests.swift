import Testing

@testable import Client

/// Values within a size limit; the least recently used go first.
struct LRUCacheTests {
  @Test func longestUnusedGoesFirst() {
    var kept = LRUCache<String, Int>(limit: 30)
    for key in ["a", "b", "c"] { #expect(kept.insert(1, for: key, bytes: 10) == []) }
    #expect(kept.use("a") == 1)
    #expect(kept.peek("b") == 1)
    #expect(kept.insert(2, for: "d", bytes: 15) == ["b", "c"])
    #expect(kept.bytes == 25)
    #expect(kept.use("b") == nil)
  }

  @Test func whatIsTooLargeIsNotKeptAndPushesNobodyOut() {
    var kept = LRUCache<String, Int>(limit: 30)
    kept.insert(1, for: "a", bytes: 30)
    #expect(kept.insert(2, for: "b", bytes: 31) == ["b"])
    #expect(kept.peek("a") == 1)
    #expect(kept.insert(3, for: "a", bytes: 31) == ["a"])
    #expect(kept.count == 0)
    #expect(kept.bytes == 0)
  }

  @Test func doesWhatASlowOneDoes() {
    var random = SeededRandom(seed: 7)
    for _ in 0..<50 {
      var kept = LRUCache<Int, Int>(limit: 100)
      var slow: [(key: Int, value: Int, bytes: Int)] = []
      for step in 0..<300 {
        let key = Int.random(in: 0..<12, using: &random)
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<5:
          let size = Int.random(in: 0...50, using: &random)
          kept.insert(step, for: key, bytes: size)
          slow.removeAll { $0.key == key }
          slow.append((key, step, size))
          while slow.reduce(0, { $0 + $1.bytes }) > 100 { slow.removeFirst() }
        case 5..<8:
          let value = kept.use(key)
          let place = slow.firstIndex { $0.key == key }
          #expect(value == place.map { slow[$0].value })
          if let place { slow.append(slow.remove(at: place)) }
        case 8:
          kept.remove(key)
          slow.removeAll { $0.key == key }
        default:
          let gone = Set(kept.removeAll { $0 % 5 == step % 5 })
          #expect(gone == Set(slow.map(\.key).filter { $0 % 5 == step % 5 }))
          slow.removeAll { $0.key % 5 == step % 5 }
        }
        #expect(kept.count == slow.count)
        #expect(kept.bytes == slow.reduce(0) { $0 + $1.bytes })
      }
    }
  }
}
