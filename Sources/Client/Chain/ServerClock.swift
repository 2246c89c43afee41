package import Domain
import FoundationEssentials
import Locking
import Text

/// The client's estimate of the backend's clock: the client's wall clock plus a correction learned from a `Date` header.
package final class ServerClock: Sendable {
  private let time: Time
  private let correction = Locked<Int64>(0)

  /// Creates a clock without a correction.
  package init(time: Time) { self.time = time }

  /// The seconds by which the backend's clock is known to be ahead of the client's; 0 if unknown.
  var correctionSeconds: Int64 { correction.withLock { $0 } }

  /// Unix seconds on the backend's clock as estimated by a client whose own clock is `skew` seconds ahead.
  func seconds(skew: Int64) -> Int64 {
    let corrected = Self.seconds(time.wall()).addingReportingOverflow(correction.withLock { $0 })
    let skewed = corrected.partialValue.addingReportingOverflow(skew)
    return corrected.overflow || skewed.overflow ? 0 : skewed.partialValue
  }

  /// Unix seconds on the client's own clock.
  var ownSeconds: Int64 { Self.seconds(time.wall()) }

  /// Learns the correction from a `Date` header; `skew` is how far the own clock is ahead, in seconds. Returns false if the
  /// header cannot be parsed.
  func correct(byDate text: String?, skew: Int64 = 0) -> Bool {
    let own = ownSeconds
    guard let text, let server = HTTPDate.parse(text, now: own) else { return false }
    // Both are within the years that a date can express, and a skew is within ten years.
    correction.withLock { $0 = server - own - skew }
    return true
  }

  /// Whole Unix seconds, clamped to years 1 to 9999.
  private static func seconds(_ date: Date) -> Int64 {
    Int64(min(max(date.timeIntervalSince1970, -62_135_596_800), 253_402_300_799).rounded(.down))
  }
}
