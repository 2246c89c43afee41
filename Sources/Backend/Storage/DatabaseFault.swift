import GRDB

/// What may be said about a database's error: its result code, never the statement or its arguments.
enum DatabaseFault {
  /// A text for the log.
  static func text(_ error: any Error) -> String {
    guard let error = error as? DatabaseError else { return "\(type(of: error))" }
    return "SQLite \(error.extendedResultCode.rawValue)"
  }

  /// Whether the call may work later: the database is busy, full, read-only or unreadable, or the call was given up.
  static func isPassing(_ error: any Error) -> Bool {
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
