import Locking

/// The bytes of all requests' bodies that are being received or worked on, with a limit in all.
package final class BodyBudget: Sendable {
  /// How many bytes there may be.
  let limit: Int
  private let held = AtomicCounter()

  /// A budget that nobody has taken from.
  init(limit: Int) { self.limit = limit }

  /// How many bytes there are.
  var used: Int { held.value }

  /// Takes so many bytes; false, and none, if there would be too many.
  func take(_ count: Int) -> Bool {
    guard held.add(count) + count > limit else { return true }
    held.add(-count)
    return false
  }

  /// Gives bytes back.
  func give(_ count: Int) { held.add(-count) }
}
