import Foundation

/// Limits on real time, which count only in runs that measure time: a busy machine must not fail a test.
package enum MeasuredTime {
  /// Whether this run measures time.
  package static let isMeasured = ProcessInfo.processInfo.environment["UNDERSTUDY_MEASURES_TIME"] != nil

  /// Runs the body.
  ///
  /// - Returns: Whether it took less time than the limit; always true unless `UNDERSTUDY_MEASURES_TIME` is set, as by `make verify`.
  package static func isWithin(_ limit: Duration, _ body: () throws -> Void) rethrows -> Bool {
    let duration = try ContinuousClock().measure(body)
    return !isMeasured || duration < limit
  }
}
