/// Limits the log lines about pin mismatches in report-only mode: each set of presented pins once a day.
package struct PinReportLimit: Sendable {
  /// How long equal reports are suppressed.
  private static let interval = Duration.seconds(24 * 3600)
  /// The most sets remembered; others are reported each time.
  private static let capacity = 64

  private var reported: [[String]: ContinuousClock.Instant] = [:]

  /// Creates a limit without any report.
  package init() {}

  /// Whether to report the mismatch now.
  package mutating func admits(_ presented: [String], now: ContinuousClock.Instant) -> Bool {
    if let last = reported[presented], now < last + Self.interval { return false }
    reported = reported.filter { now < $0.value + Self.interval }
    if reported.count < Self.capacity { reported[presented] = now }
    return true
  }
}
