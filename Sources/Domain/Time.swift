package import FoundationEssentials

/// The clocks that a component may read, as closures so that tests drive them.
///
/// A struct rather than `any Clock<Duration>`, which cannot measure a duration once it is erased.
package struct Time: Sendable {
  /// The wall instant, for what is shown or kept over a restart; it may jump.
  package var wall: @Sendable () -> Date
  /// The monotonic instant that lifetimes, timeouts and back-off count with; it counts while the machine sleeps.
  package var monotonic: @Sendable () -> ContinuousClock.Instant
  /// Suspends until the monotonic instant; throws `CancellationError` when the task is cancelled.
  package var sleep: @Sendable (_ until: ContinuousClock.Instant) async throws -> Void

  /// Makes a time from its three clocks.
  package init(
    wall: @escaping @Sendable () -> Date,
    monotonic: @escaping @Sendable () -> ContinuousClock.Instant,
    sleep: @escaping @Sendable (_ until: ContinuousClock.Instant) async throws -> Void
  ) {
    self.wall = wall
    self.monotonic = monotonic
    self.sleep = sleep
  }

  /// The machine's clocks.
  package static let system = Time(
    wall: { Date() },
    monotonic: { ContinuousClock().now },
    sleep: { try await ContinuousClock().sleep(until: $0) })
}
