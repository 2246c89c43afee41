/// The counterparts among the calls of two recordings, and the calls without one.
///
/// Calls with equal keys are paired: in order if both recordings have equally many of them, and else so that as many pairs as
/// possible have equal outcomes.
struct CallAlignment: Hashable, Sendable {
  /// A call of the first recording and its counterpart; both are positions from 0.
  struct Pair: Hashable, Sendable {
    let first: Int
    let second: Int
    /// Whether it comes earlier or later among the other pairs of the second recording than of the first.
    var isReordered = false
  }

  /// In the order of the first recording.
  private(set) var pairs: [Pair] = []
  /// The calls that only the first recording has.
  private(set) var missing: [Int] = []
  /// The calls that only the second recording has.
  private(set) var added: [Int] = []

  /// More calls with the same key are paired in order, because finding the best pairs takes time quadratic in their number.
  private static let searchLimit = 1000

  init(_ first: [ComparedCall], _ second: [ComparedCall], key: (ComparedCall) -> ComparedCall.Key) {
    let others = Dictionary(grouping: second.indices) { key(second[$0]) }
    let groups = Dictionary(grouping: first.indices) { key(first[$0]) }
    for (key, ours) in groups {
      let theirs = others[key] ?? []
      pairs += Self.pairs(ours, theirs) { first[$0].outcome == second[$1].outcome }
    }
    pairs.sort { $0.first < $1.first }
    let firsts = Set(pairs.map(\.first))
    let seconds = Set(pairs.map(\.second))
    missing = first.indices.filter { !firsts.contains($0) }
    added = second.indices.filter { !seconds.contains($0) }
    let inOrder = Self.longestIncreasing(pairs.map(\.second))
    for place in pairs.indices where !inOrder.contains(place) { pairs[place].isReordered = true }
  }

  private static func pairs(_ ours: [Int], _ theirs: [Int], areAlike: (Int, Int) -> Bool) -> [Pair] {
    guard ours.count != theirs.count, ours.count <= searchLimit, theirs.count <= searchLimit else {
      return zip(ours, theirs).map { Pair(first: $0, second: $1) }
    }
    // The shorter list is paired whole; only the others of the longer one may be skipped.
    let isSwapped = ours.count > theirs.count
    let (short, long) = isSwapped ? (theirs, ours) : (ours, theirs)
    let room = long.count - short.count
    // best[s][k]: the most alike pairs of the first s of `short`, with k of `long` skipped before them.
    var best = [[Int]](repeating: [Int](repeating: 0, count: room + 1), count: short.count + 1)
    for s in 0..<short.count {
      for skipped in 0...room {
        let isAlike = isSwapped ? areAlike(long[s + skipped], short[s]) : areAlike(short[s], long[s + skipped])
        let paired = best[s][skipped] + (isAlike ? 1 : 0)
        best[s + 1][skipped] = max(paired, skipped > 0 ? best[s + 1][skipped - 1] : 0)
      }
    }
    var found: [Pair] = []
    var s: Int = short.count
    var skipped: Int = room
    while s > 0 {
      // As few as possible are skipped before a pair, so that unpaired ones are at the end.
      while skipped > 0, best[s][skipped - 1] == best[s][skipped] { skipped -= 1 }
      let one = short[s - 1]
      let other = long[s - 1 + skipped]
      found.append(isSwapped ? Pair(first: other, second: one) : Pair(first: one, second: other))
      s -= 1
    }
    return found
  }

  /// The positions of a longest increasing subsequence of distinct numbers.
  private static func longestIncreasing(_ numbers: [Int]) -> Set<Int> {
    // tails[n]: the position of the smallest end of a subsequence of n + 1 numbers.
    var tails: [Int] = []
    var previous = [Int?](repeating: nil, count: numbers.count)
    for place in numbers.indices {
      var low = 0
      var high = tails.count
      while low < high {
        let middle = (low + high) / 2
        if numbers[tails[middle]] < numbers[place] { low = middle + 1 } else { high = middle }
      }
      previous[place] = low > 0 ? tails[low - 1] : nil
      if low == tails.count { tails.append(place) } else { tails[low] = place }
    }
    var result: Set<Int> = []
    var place = tails.last
    while let current = place {
      result.insert(current)
      place = previous[current]
    }
    return result
  }
}
