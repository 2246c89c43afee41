/// A lazy sequence of attempts, oldest first: each is read when it is needed, so that an export never keeps all of them in
/// memory.
///
/// Skips attempts that are evicted during the iteration.
package struct NetworkDetails: Sequence, IteratorProtocol, Sendable {
  private let log: NetworkLog
  private var ids: ArraySlice<String>

  /// The attempts with these IDs.
  init(log: NetworkLog, ids: [String]) {
    self.log = log
    self.ids = ids[...]
  }

  /// Returns the next attempt that is still in the log.
  package mutating func next() -> NetworkRowDetail? {
    while let id = ids.popFirst() {
      if let detail = log.detail(id: id) { return detail }
    }
    return nil
  }
}
