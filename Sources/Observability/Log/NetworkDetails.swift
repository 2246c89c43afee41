/// Attempts of a log whole, oldest first, each read when it is asked for, so that an export never holds all of them.
///
/// What gives way while it is walked through is left out.
package struct NetworkDetails: Sequence, IteratorProtocol, Sendable {
  private let log: NetworkLog
  private var ids: ArraySlice<String>

  /// The attempts of the given ids.
  init(log: NetworkLog, ids: [String]) {
    self.log = log
    self.ids = ids[...]
  }

  /// The next attempt that is still held.
  package mutating func next() -> NetworkRowDetail? {
    while let id = ids.popFirst() {
      if let detail = log.detail(id: id) { return detail }
    }
    return nil
  }
}
