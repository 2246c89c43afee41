import Locking

/// The rows of the attempts that a task and its children start, in order.
package final class StartedRows: Sendable {
  /// The most recent rows to remember.
  private static let limit = 64

  /// The list of the current task.
  @TaskLocal package static var current: StartedRows?

  private let list = Locked<[String]>([])

  package init() {}

  /// The most recent rows, oldest first.
  package var ids: [String] { list.withLock { $0 } }

  func note(_ row: String) {
    list.withLock { list in
      if list.count == Self.limit { list.removeFirst() }
      list.append(row)
    }
  }
}
