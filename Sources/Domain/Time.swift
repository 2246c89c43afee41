package import FoundationEssentials

/// The clocks that a component reads, as closures that tests can replace.
///
/// `any Clock<Duration>` is unsuitable: a type-erased clock cannot measure durations.
package struct Time: Sendable {
  /// The wall clock, for dates that are shown or stored; it may jump.
  package var wall: @Sendable () -> Date
  /// The monotonic clock, for lifetimes, timeouts and backoff; it advances while the machine sleeps.
  package var monotonic: @Sendable () -> ContinuousClock.Instant
  /// Suspends until the monotonic instant; throws `CancellationError` if the task is canceled.
  package var sleep: @Sendable (_ until: ContinuousClock.Instant) async throws -> Void

  package init(
    wall: @escaping @Sendable () -> Date,
    monotonic: @escaping @Sendable () -> ContinuousClock.Instant,
    sleep: @escaping @Sendable (_ until: ContinuousClock.Instant) async throws -> Void
  ) {
    self.wall = wall
    self.monotonic = monotonic
    self.sleep = sleep
  }

  /// The clocks of the system.
  package static let system = Time(
    wall: { Date() },
    monotonic: { ContinuousClock().now },
    sleep: { try await ContinuousClock().sleep(until: $0) })
}
