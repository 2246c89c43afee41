import GRDB
package import Logging
import FoundationEssentials
import Locking
package import Vault

/// The rows that decide who may do what, each signed with a key that comes from the vault's.
///
/// A row that something else than this console wrote, changed or moved is no row: reading through here does not find it, and the log
/// says so once. A signature covers the table's name and the values of all columns as SQLite has them; it says nothing of the row's
/// age, so a row that was kept from before and put back is one again.
package final class AccessRows: Sendable {
  /// A table of such rows.
  package enum Table: String, CaseIterable, Sendable {
    case browser
    case browserCookie = "browser_cookie"
    case device
    case linkState = "link_state"

    /// What a signature covers.
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

  /// How many rows are told of in the log.
  private static let toldLimit = 1000

  private let key: [UInt8]
  private let logger: Logger?
  private let told = Locked<Set<Place>>([])

  /// Takes the vault's key; `logger` hears of rows that are not genuine, nil for nobody.
  package init(key: SealingKey, logger: Logger?) {
    self.key = key.derive("signatures of access rows")
    self.logger = logger
  }

  /// Adds the column of the signatures; rows that are there have none yet.
  static func migrate(_ db: Database) throws {
    for table in Table.allCases {
      try db.alter(table: table.rawValue) { $0.add(column: "mac", .blob) }
    }
  }

  // MARK: Reading

  /// The genuine rows of a table for which an SQL condition holds; it may end with an order.
  func fetch(_ db: Database, _ table: Table, where condition: String, _ arguments: StatementArguments) throws -> [Row] {
    try all(db, table, where: condition, arguments).filter { row in
      if accepts(row, of: table) { return true }
      tell(Place(table: table, rowID: row["row_id"]))
      return false
    }
  }

  /// The first of `fetch`.
  func first(_ db: Database, _ table: Table, where condition: String, _ arguments: StatementArguments) throws -> Row? {
    try fetch(db, table, where: condition, arguments).first
  }

  /// Whether a row that was read with `all` carries its signature.
  private func accepts(_ row: Row, of table: Table) -> Bool {
    guard let mac = Data.fromDatabaseValue(row["mac"]) else { return false }
    return constantTimeEquals([UInt8](mac), self.mac(row, of: table))
  }

  private func all(
    _ db: Database, _ table: Table, where condition: String = "TRUE", _ arguments: StatementArguments = []
  ) throws -> [Row] {
    try Row.fetchAll(
      db,
      sql: "SELECT rowid AS row_id, mac, \(table.columns.joined(separator: ", ")) FROM \(table.rawValue) WHERE \(condition)",
      arguments: arguments)
  }

  private func tell(_ place: Place) {
    let isNew = told.withLock { $0.count < Self.toldLimit && $0.insert(place).inserted }
    guard isNew else { return }
    // The row number alone: its texts are whatever somebody wrote there.
    logger?.error(
      "a row of console.sqlite was not written by this console, or changed since; it is ignored",
      metadata: ["table": "\(place.table.rawValue)", "row": "\(place.rowID)"])
  }

  // MARK: Writing

  /// Inserts a row, signed: one value for each of the table's columns.
  ///
  /// What is signed is what was meant to be written, here and in `change`, and not what is there then: a trigger that somebody put into
  /// the database must not have its work signed.
  func insert(_ db: Database, into table: Table, _ values: [(any DatabaseValueConvertible)?]) throws {
    let values = values.map { $0?.databaseValue ?? .null }
    let places = Array(repeating: "?", count: table.columns.count).joined(separator: ", ")
    try db.execute(
      sql: "INSERT INTO \(table.rawValue) (\(table.columns.joined(separator: ", ")), mac) VALUES (\(places), ?)",
      arguments: StatementArguments(values + [Data(mac(of: table, values)).databaseValue]))
  }

  /// Changes a column of the genuine rows for which an SQL condition holds, and signs them; returns how many those were.
  @discardableResult
  func change(
    _ db: Database, _ table: Table, set column: String, to value: any DatabaseValueConvertible, where condition: String,
    _ arguments: StatementArguments
  ) throws -> Int {
    let rows = try fetch(db, table, where: condition, arguments)
    for row in rows {
      let values = table.columns.map { $0 == column ? value.databaseValue : row[$0] }
      try db.execute(
        sql: "UPDATE \(table.rawValue) SET \(column) = ?, mac = ? WHERE rowid = ?",
        arguments: [value, Data(mac(of: table, values)), row["row_id"] as Int64])
    }
    return rows.count
  }

  /// Signs the rows that another key signed.
  func sign(_ db: Database, acceptedBy other: AccessRows) throws {
    for table in Table.allCases {
      for row in try all(db, table) where other.accepts(row, of: table) {
        try keep(db, mac(row, of: table), table, row["row_id"])
      }
    }
  }

  /// Signs every row, as for a database from before there were signatures; whoever calls it vouches for them.
  func signAll(_ db: Database) throws {
    for table in Table.allCases {
      for row in try all(db, table) { try keep(db, mac(row, of: table), table, row["row_id"]) }
    }
  }

  /// Whether there is a row that this key did not sign.
  func isAnyUnsigned(_ db: Database) throws -> Bool {
    try Table.allCases.contains { table in try all(db, table).contains { !accepts($0, of: table) } }
  }

  private func keep(_ db: Database, _ mac: [UInt8], _ table: Table, _ rowID: Int64) throws {
    try db.execute(sql: "UPDATE \(table.rawValue) SET mac = ? WHERE rowid = ?", arguments: [Data(mac), rowID])
  }

  // MARK: Signatures

  private func mac(_ row: Row, of table: Table) -> [UInt8] { mac(of: table, table.columns.map { row[$0] }) }

  /// The table's name and each value with its type and length before it, so that no two rows make the same bytes.
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
