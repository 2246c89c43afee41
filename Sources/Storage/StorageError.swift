/// Why a transaction failed; contains no value of a row.
package enum StorageError: Error, Hashable, Sendable {
  /// A row violates a constraint, such as a second row with the same key.
  case constraint
  /// Another transaction changed the same rows at the same time, in every attempt.
  case conflict
  /// Another transaction holds the rows for longer than this one waits.
  case locked
  /// The disk is full.
  case full
  /// The file cannot be opened, read or written now.
  case unusable
  /// The task was canceled within a statement.
  case interrupted
  /// The database cannot be reached, or the connection was lost before the commit: the database is unchanged.
  case unreachable(String)
  /// The file is not a database, or parts of it are damaged.
  case damaged
  /// The connection was lost during the commit, so it is unknown whether the change was made.
  case inDoubt
  /// A newer program has migrated the schema; the names of its migrations.
  case newerSchema([String])
  /// Another console has taken over the device that the change belongs to.
  case fenced
  /// A value has another type than expected, or cannot be stored.
  case mismatch(String)
  /// A statement is wrong, or not allowed; the engine's code.
  case statement(String)
}

extension StorageError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .constraint: "a row violates a constraint"
    case .conflict: "other transactions changed the same rows"
    case .locked: "another transaction holds the rows"
    case .full: "the disk of the database is full"
    case .unusable: "the database cannot be opened"
    case .interrupted: "a statement was interrupted"
    case .unreachable(let reason): reason
    case .damaged: "the database is damaged"
    case .inDoubt: "the connection was lost while a change was made"
    case .newerSchema(let names): "a newer version has changed the schema (\(names.joined(separator: ", ")))"
    case .fenced: "another console has taken over"
    case .mismatch(let reason): reason
    case .statement(let code): "the database rejected a statement (\(code))"
    }
  }
}
