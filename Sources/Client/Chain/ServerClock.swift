package import Domain
import FoundationEssentials
import Locking
import Text

/// What the client takes the backend's clock for: its own wall clock and a correction learned from `Date` (contract §3).
package final class ServerClock: Sendable {
  private let time: Time
  private let correction = Locked<Int64>(0)

  /// Starts without a correction.
  package init(time: Time) { self.time = time }

  /// Unix seconds on the backend's clock.
  var seconds: Int64 { seconds(skew: 0) }

  /// Unix seconds on the backend's clock, as a client takes it whose own is `skew` seconds ahead.
  func seconds(skew: Int64) -> Int64 {
    let corrected = Self.seconds(time.wall()).addingReportingOverflow(correction.withLock { $0 })
    let skewed = corrected.partialValue.addingReportingOverflow(skew)
    return corrected.overflow || skewed.overflow ? 0 : skewed.partialValue
  }

  /// Unix seconds on the client's own clock.
  var ownSeconds: Int64 { Self.seconds(time.wall()) }

  /// Learns the backend's clock from a `Date` field, by an own clock that is `skew` seconds ahead; false where it cannot be read.
  func correct(byDate text: String?, skew: Int64 = 0) -> Bool {
    let own = ownSeconds
    guard let text, let server = HTTPDate.parse(text, now: own) else { return false }
    // Both lie within the years that a date can have, and a skew within ten.
    correction.withLock { $0 = server - own - skew }
    return true
  }

  /// Whole seconds of an instant, without a trap for one that is far off.
  private static func seconds(_ date: Date) -> Int64 {
    Int64(min(max(date.timeIntervalSince1970, -62_135_596_800), 253_402_300_799).rounded(.down))
  }
}
