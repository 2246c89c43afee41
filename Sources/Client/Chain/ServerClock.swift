package import Domain
import FoundationEssentials
import Synchronization

/// What the client takes the backend's clock for: its own wall clock and a correction learned from `Date` (contract §3).
package final class ServerClock: Sendable {
  private let time: Time
  private let correction = Mutex<Int64>(0)

  /// Starts without a correction.
  package init(time: Time) { self.time = time }

  /// Unix seconds on the backend's clock.
  var seconds: Int64 {
    let corrected = Self.seconds(time.wall()).addingReportingOverflow(correction.withLock { $0 })
    return corrected.overflow ? 0 : corrected.partialValue
  }

  /// Unix seconds on the client's own clock.
  var ownSeconds: Int64 { Self.seconds(time.wall()) }

  /// Learns the backend's clock from a `Date` field; false where it cannot be read.
  func correct(byDate text: String?) -> Bool {
    let own = ownSeconds
    guard let text, let server = HTTPDateText.seconds(text, now: own) else { return false }
    correction.withLock { $0 = server - own }
    return true
  }

  /// Whole seconds of an instant, without a trap for one that is far off.
  private static func seconds(_ date: Date) -> Int64 {
    Int64(min(max(date.timeIntervalSince1970, -62_135_596_800), 253_402_300_799).rounded(.down))
  }
}
