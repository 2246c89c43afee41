import Locking

/// A limit on the total size of all request bodies that are being received or processed.
package final class BodyBudget: Sendable {
  /// The limit in bytes.
  let limit: Int
  private let reserved = AtomicCounter()

  init(limit: Int) { self.limit = limit }

  /// The number of bytes in use.
  var used: Int { reserved.value }

  /// Reserves `count` bytes, or returns false and reserves nothing if that would exceed the limit.
  func reserve(_ count: Int) -> Bool {
    guard reserved.add(count) + count > limit else { return true }
    reserved.add(-count)
    return false
  }

  /// Releases reserved bytes.
  func release(_ count: Int) { reserved.add(-count) }
}
