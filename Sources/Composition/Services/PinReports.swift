import Client
import Logging
import Locking

/// Logs the pins that `--pin-report-only` reports, each set once a day.
final class PinReports: Sendable {
  private let limit = Locked(PinReportLimit())
  private let logger: Logger

  init(logger: Logger) { self.logger = logger }

  /// Reports a chain without a pinned key; `presented` are its pins, leaf first.
  func note(_ presented: [String]) {
    guard limit.withLock({ $0.admits(presented, now: .now) }) else { return }
    logger.warning(
      "no certificate of the backend's chain is pinned; the connection is used anyway: \(presented.joined(separator: " "))")
  }
}
