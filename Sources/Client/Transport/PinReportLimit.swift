/// Which pin mismatches are worth a line in report-only mode: each set of presented pins once a day (reference §4.4).
package struct PinReportLimit: Sendable {
  /// How long an equal report is kept back.
  static let interval = Duration.seconds(24 * 3600)
  /// How many sets are remembered; more are reported each time.
  static let capacity = 64

  private var reported: [[String]: ContinuousClock.Instant] = [:]

  /// Makes a limit that has seen nothing.
  package init() {}

  /// Whether the mismatch is to be reported now.
  package mutating func admits(_ presented: [String], now: ContinuousClock.Instant) -> Bool {
    if let last = reported[presented], now < last + Self.interval { return false }
    reported = reported.filter { now < $0.value + Self.interval }
    if reported.count < Self.capacity { reported[presented] = now }
    return true
  }
}
