/// The pauses of a series of attempts: the first, doubled each time up to the longest (seed-rules C-16 "1, 2, 4 s", N-20 "grows
/// exponentially").
package struct Backoff: Hashable, Sendable {
  /// The pauses of the app: 1 s, 2 s, 4 s and so on.
  package static let standard = Backoff(first: .seconds(1))

  /// The first pause.
  package let first: Duration

  package init(first: Duration) { self.first = first }

  /// The pause with this number, from 1; never longer than `longest` times the first one.
  ///
  /// `random`, in 0 ..< 1, spreads it by ±10 %, so that clients that failed together do not try again together.
  package func pause(_ number: Int, longest: Int = 10, random: Double) -> Duration {
    let whole = min(1 << min(max(number - 1, 0), 10), longest)
    let millionths = 900_000 + Int(200_000 * min(max(random, 0), 1))
    return min(first * whole * millionths / 1_000_000, first * longest)
  }
}
