import Storage

/// Reads database errors without quoting the statement or its arguments.
enum DatabaseFault {
  /// Returns the error as a text for the log.
  static func description(of error: any Error) -> String {
    (error as? StorageError).map { "\($0)" } ?? "\(type(of: error))"
  }

  /// Whether a later call may succeed: the database is busy, full, read-only, unreadable or away, or the call was cancelled.
  static func isTransient(_ error: any Error) -> Bool {
    if error is CancellationError { return true }
    guard let error = error as? StorageError else { return false }
    switch error {
    case .conflict, .locked, .full, .unusable, .interrupted, .unreachable, .inDoubt: return true
    // SQLite is out of memory, or undid the transaction after another failure.
    case .statement(let code): return ["7", "4", "516"].contains(code)
    case .constraint, .damaged, .newerSchema, .fenced, .mismatch: return false
    }
  }
}
