import GRDB
package import Logging
import FoundationEssentials
import Locking
package import Vault

/// The rows that grant access, each signed with a key derived from the vault's.
///
/// A row that anything but this console wrote, changed or moved is not found, and the log says so once. A signature covers the
/// table's name and the values of all columns. It does not cover the row's age: an old row that is put back is valid again.
package final class AccessRows: Sendable {
  /// A table of such rows.
  package enum Table: String, CaseIterable, Sendable {
    case browser
    case browserCookie = "browser_cookie"
    case device
    case linkState = "link_state"

    /// The columns that a signature covers.
    var columns: [String] {
      switch self {
      case .browser: ["browser_id", "seen_at"]
      case .browserCookie: ["cookie_hash", "browser_id", "made_at", "is_presented", "works_until"]
      case .device: ["device_id", "browser_id", "key_hash", "name", "created_at"]
      case .linkState: ["device_id", "state_hash", "made_at"]
      }
    }
  }

  private struct Place: Hashable {
    let table: Table
    let rowID: Int64
  }

  /// How many invalid rows are logged.
  private static let reportLimit = 1000

  private let key: [UInt8]
  private let logger: Logger?
  private let reported = Locked<Set<Place>>([])

  /// `key` is the vault's; `logger` gets an error for each invalid row.
  package init(key: SealingKey, logger: Logger?) {
    self.key = key.derive("signatures of access rows")
    self.logger = logger
  }

  /// Adds the column of the signatures; existing rows have none yet.
  static func migrate(_ db: Database) throws {
    for table in Table.allCases {
      try db.alter(table: table.rawValue) { $0.add(column: "mac", .blob) }
    }
  }

  // MARK: Reading

  /// The valid rows of a table that fulfil an SQL condition, which may end with an order.
  func fetch(_ db: Database, _ table: Table, where condition: String, _ arguments: StatementArguments) throws -> [Row] {
    try all(db, table, where: condition, arguments).filter { row in
      if accepts(row, of: table) { return true }
      report(Place(table: table, rowID: row["row_id"]))
      return false
    }
  }

  /// The first of `fetch`.
  func first(_ db: Database, _ table: Table, where condition: String, _ arguments: StatementArguments) throws -> Row? {
    try fetch(db, table, where: condition, arguments).first
  }

  /// Whether the signature of a row that was read with `all` is valid.
  private func accepts(_ row: Row, of table: Table) -> Bool {
    guard let mac = Data.fromDatabaseValue(row["mac"]) else { return false }
    return constantTimeEquals([UInt8](mac), self.mac(row, of: table))
  }

  private func all(
    _ db: Database, _ table: Table, where condition: String = "TRUE", _ arguments: StatementArguments = []
  ) throws -> [Row] {
    try Row.fetchAll(
      db.cachedStatement(
        sql: "SELECT rowid AS row_id, mac, \(table.columns.joined(separator: ", ")) FROM \(table.rawValue) WHERE \(condition)"),
      arguments: arguments)
  }

  private func report(_ place: Place) {
    let isNew = reported.withLock { $0.count < Self.reportLimit && $0.insert(place).inserted }
    guard isNew else { return }
    // Only the row number: somebody else may have written the texts.
    logger?.error(
      "a row of console.sqlite was not written by this console, or changed since; it is ignored",
      metadata: ["table": "\(place.table.rawValue)", "row": "\(place.rowID)"])
  }

  // MARK: Writing

  /// Inserts a row, signed: one value for each of the table's columns.
  ///
  /// The signature covers the values given here (and in `change`), not those in the database afterwards: a trigger that somebody
  /// added must not get its changes signed.
  func insert(_ db: Database, into table: Table, _ values: [(any DatabaseValueConvertible)?]) throws {
    let values = values.map { $0?.databaseValue ?? .null }
    let places = Array(repeating: "?", count: table.columns.count).joined(separator: ", ")
    try db.cachedStatement(
      sql: "INSERT INTO \(table.rawValue) (\(table.columns.joined(separator: ", ")), mac) VALUES (\(places), ?)"
    ).execute(arguments: StatementArguments(values + [Data(mac(of: table, values)).databaseValue]))
  }

  /// Changes a column of the valid rows that fulfil an SQL condition, and signs them; returns their number.
  @discardableResult
  func change(
    _ db: Database, _ table: Table, set column: String, to value: any DatabaseValueConvertible, where condition: String,
    _ arguments: StatementArguments
  ) throws -> Int {
    let rows = try fetch(db, table, where: condition, arguments)
    for row in rows {
      let values = table.columns.map { $0 == column ? value.databaseValue : row[$0] }
      try db.cachedStatement(sql: "UPDATE \(table.rawValue) SET \(column) = ?, mac = ? WHERE rowid = ?")
        .execute(arguments: [value, Data(mac(of: table, values)), row["row_id"] as Int64])
    }
    return rows.count
  }

  /// Signs the rows that are signed with another key.
  func sign(_ db: Database, acceptedBy other: AccessRows) throws {
    for table in Table.allCases {
      for row in try all(db, table) where other.accepts(row, of: table) {
        try keep(db, mac(row, of: table), table, row["row_id"])
      }
    }
  }

  /// Signs every row, for a database from before rows were signed; the caller vouches for them.
  func signAll(_ db: Database) throws {
    for table in Table.allCases {
      for row in try all(db, table) { try keep(db, mac(row, of: table), table, row["row_id"]) }
    }
  }

  /// Whether there is a row that is not signed with this key.
  func isAnyUnsigned(_ db: Database) throws -> Bool {
    try Table.allCases.contains { table in try all(db, table).contains { !accepts($0, of: table) } }
  }

  private func keep(_ db: Database, _ mac: [UInt8], _ table: Table, _ rowID: Int64) throws {
    try db.execute(sql: "UPDATE \(table.rawValue) SET mac = ? WHERE rowid = ?", arguments: [Data(mac), rowID])
  }

  // MARK: Signatures

  private func mac(_ row: Row, of table: Table) -> [UInt8] { mac(of: table, table.columns.map { row[$0] }) }

  /// Covers the table's name and each value after its type and length, so that different rows never make the same bytes.
  private func mac(of table: Table, _ values: [DatabaseValue]) -> [UInt8] {
    var message = Array("understudy access row 1\n\(table.rawValue)\n".utf8)
    for value in values {
      switch value.storage {
      case .null: message.append(UInt8(ascii: "n"))
      case .int64(let value): Self.append(UInt8(ascii: "i"), UInt64(bitPattern: value), to: &message)
      case .double(let value): Self.append(UInt8(ascii: "d"), value.bitPattern, to: &message)
      case .string(let text):
        Self.append(UInt8(ascii: "s"), UInt64(text.utf8.count), to: &message)
        message += text.utf8
      case .blob(let bytes):
        Self.append(UInt8(ascii: "b"), UInt64(bytes.count), to: &message)
        message += bytes
      }
    }
    return HMAC.sha256(message, key: key)
  }

  private static func append(_ type: UInt8, _ number: UInt64, to message: inout [UInt8]) {
    message.append(type)
    withUnsafeBytes(of: number.bigEndian) { message.append(contentsOf: $0) }
  }
}
