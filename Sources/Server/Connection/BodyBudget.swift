import Locking

/// The bytes of all requests' bodies that are being received or worked on, with a limit in all.
package final class BodyBudget: Sendable {
  /// How many bytes there may be.
  let limit: Int
  private let reserved = AtomicCounter()

  /// A budget that nobody has taken from.
  init(limit: Int) { self.limit = limit }

  /// How many bytes there are.
  var used: Int { reserved.value }

  /// Takes so many bytes; false, and none, if there would be too many.
  func reserve(_ count: Int) -> Bool {
    guard reserved.add(count) + count > limit else { return true }
    reserved.add(-count)
    return false
  }

  /// Gives bytes back.
  func release(_ count: Int) { reserved.add(-count) }
}
