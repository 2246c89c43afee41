import Glibc
import Locking
import Text

/// The value of the `Date` field, formatted once a second.
final class DateCache: Sendable {
  private struct Entry: Sendable {
    var second = Int64.min
    var text: [UInt8] = []
  }

  private let entry = Locked(Entry())

  /// The current value, at most a second old.
  func bytes() -> [UInt8] {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME_COARSE, &now)
    let second = Int64(now.tv_sec)
    return entry.withLock { entry in
      if entry.second != second { entry = Entry(second: second, text: Array(HTTPDate.format(second).utf8)) }
      return entry.text
    }
  }
}
