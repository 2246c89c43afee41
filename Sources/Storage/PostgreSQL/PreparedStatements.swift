/// The statements that a database keeps parsed for one connection (PostgreSQL's manual, PREPARE).
///
/// Parsing takes longer than most statements. Each execution is planned anew, because tables grow from nothing within minutes.
struct PreparedStatements {
  /// The maximum number of statements; a program has fewer, unless it composes them.
  static let limit = 256

  private struct Key: Hashable {
    let sql: String
    let types: [UInt32]
  }

  /// The number of the next name; no name is used twice on a connection.
  var next = 0
  private var names: [Key: String] = [:]
  private var isStale = false

  /// Whether the database must discard all statements before it prepares another.
  var mustBeDropped: Bool { isStale || names.count >= Self.limit }

  /// Stops using all statements, because one of them is outdated.
  mutating func noteStale() {
    names = [:]
    isStale = true
  }

  /// Removes the statements after the database has discarded them.
  mutating func noteDropped() {
    names = [:]
    isStale = false
  }

  /// The name of a statement for arguments of these types; nil if it is not prepared.
  func name(of sql: String, _ types: [UInt32]) -> String? { names[Key(sql: sql, types: types)] }

  /// Adds a prepared statement.
  mutating func keep(_ name: String, of sql: String, _ types: [UInt32]) { names[Key(sql: sql, types: types)] = name }

  /// Whether the database prepares a statement of this kind.
  static func canPrepare(_ sql: String) -> Bool {
    let start = sql.utf8.drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }
    return ["SELECT ", "INSERT ", "UPDATE ", "DELETE ", "WITH "].contains { start.starts(with: $0.utf8) }
  }

  /// Whether an error means that a prepared statement is outdated: its tables have other columns (0A000), or it does not exist
  /// (26000).
  static func isStale(_ state: String) -> Bool { state == "0A000" || state == "26000" }
}
