import Foundation

/// The repetitions of tests that draw their input.
package enum Rounds {
  private static let factor = ProcessInfo.processInfo.environment["UNDERSTUDY_ROUNDS"].flatMap { Int($0) } ?? 1

  /// The number multiplied by `UNDERSTUDY_ROUNDS`, which `make verify` sets.
  package static func scaled(_ count: Int) -> Int { count * max(1, factor) }

  /// Pairs in which each value occurs; in `make verify`, all combinations.
  package static func pairs<First, Second>(_ first: [First], _ second: [Second]) -> [(First, Second)] {
    guard factor == 1 else { return first.flatMap { one in second.map { (one, $0) } } }
    return (0..<max(first.count, second.count)).map { (first[$0 % first.count], second[$0 % second.count]) }
  }

  /// The stride between the cases of a table that run; `make verify` runs every case.
  package static func stride(_ distance: Int) -> Int { max(1, distance / max(1, factor)) }
}
