import GRDB

/// Reads database errors without quoting the statement or its arguments.
enum DatabaseFault {
  /// Returns the result code as a text for the log.
  static func description(of error: any Error) -> String {
    guard let error = error as? DatabaseError else { return "\(type(of: error))" }
    return "SQLite \(error.extendedResultCode.rawValue)"
  }

  /// Whether a later call may succeed: the database is busy, full, read-only or unreadable, or the call was cancelled.
  static func isTransient(_ error: any Error) -> Bool {
    if error is CancellationError { return true }
    guard let error = error as? DatabaseError else { return false }
    switch error.resultCode {
    case .SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_FULL, .SQLITE_IOERR, .SQLITE_READONLY, .SQLITE_CANTOPEN, .SQLITE_NOMEM,
      .SQLITE_ABORT:
      return true
    default:
      return false
    }
  }
}
