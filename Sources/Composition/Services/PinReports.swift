import Client
import Logging
import Locking

/// What `--pin-report-only` writes: a line with the presented pins, for the same ones once a day.
final class PinReports: Sendable {
  private let limit = Locked(PinReportLimit())
  private let logger: Logger

  /// Reports to `logger`.
  init(logger: Logger) { self.logger = logger }

  /// Notes a chain without a wanted key; `presented` are its pins, leaf first.
  func note(_ presented: [String]) {
    guard limit.withLock({ $0.admits(presented, now: .now) }) else { return }
    logger.warning("no certificate of the backend's chain is pinned; used all the same: \(presented.joined(separator: " "))")
  }
}
