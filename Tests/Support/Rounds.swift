import Foundation

/// The repetitions of tests that draw their input.
package enum Rounds {
  private static let factor = ProcessInfo.processInfo.environment["UNDERSTUDY_ROUNDS"].flatMap { Int($0) } ?? 1

  /// The number multiplied by `UNDERSTUDY_ROUNDS`, which `make verify` sets.
  package static func scaled(_ count: Int) -> Int { count * max(1, factor) }
}
