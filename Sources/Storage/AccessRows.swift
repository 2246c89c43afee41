import Locking
package import Logging
import Text
package import Vault

/// The rows that grant access, each signed with a key derived from the vault's.
///
/// A row that another program wrote, changed or moved is ignored, and logged once. A signature covers the table's name and the
/// values of all columns. It does not cover the row's age: a restored old row is valid again.
package final class AccessRows: Sendable {
  /// A table of such rows.
  package enum Table: String, CaseIterable, Sendable {
    case browser
    case browserCookie = "browser_cookie"
    case device
    case linkState = "link_state"
    case person
    case deviceKey = "device_key"
    case workspaceMember = "workspace_member"
    case workspaceLink = "workspace_link"

    /// The columns that a signature covers.
    package var columns: [String] {
      switch self {
      case .browser: ["browser_id", "seen_at"]
      case .browserCookie: ["cookie_hash", "browser_id", "made_at", "is_presented", "works_until"]
      case .device: ["device_id", "browser_id", "key_hash", "name", "created_at"]
      case .linkState: ["device_id", "state_hash", "made_at"]
      case .person: ["person_id", "name", "role", "made_at"]
      case .deviceKey: ["key_hash", "device_id", "made_at"]
      case .workspaceMember: ["workspace_id", "person_id", "access"]
      case .workspaceLink: ["token_hash", "workspace_id", "access", "until_at"]
      }
    }

    /// The columns that identify its rows.
    var keyColumns: [String] {
      switch self {
      case .browser: ["browser_id"]
      case .browserCookie: ["cookie_hash"]
      case .device: ["device_id"]
      case .linkState: ["device_id", "state_hash"]
      case .person: ["person_id"]
      case .deviceKey: ["key_hash"]
      case .workspaceMember: ["workspace_id", "person_id"]
      case .workspaceLink: ["token_hash"]
      }
    }

    /// The SQL condition of one row.
    var isRow: String { keyColumns.map { "\($0) = ?" }.joined(separator: " AND ") }
  }

  private struct Place: Hashable {
    let table: Table
    /// The hash of the row's key, which may be any text of any length if another program wrote it.
    let key: [UInt8]
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

  /// The script that adds the column of the signatures to the first tables; existing rows have none yet.
  package static let schema = [Table.browser, .browserCookie, .device, .linkState].map {
    "ALTER TABLE \($0.rawValue) ADD COLUMN mac {bytes};"
  }.joined(separator: "\n")

  // MARK: Reading

  /// The valid rows of a table that fulfil an SQL condition, which may end with an order.
  package func fetch(
    _ transaction: any StorageTransaction, _ table: Table, where condition: String, _ arguments: any StorageConvertible...
  ) throws(StorageError) -> [StorageRow] {
    try fetch(transaction, table, where: condition, arguments.map(\.storageValue))
  }

  private func fetch(
    _ transaction: any StorageTransaction, _ table: Table, where condition: String, _ arguments: [StorageValue]
  ) throws(StorageError) -> [StorageRow] {
    var valid: [StorageRow] = []
    for row in try all(transaction, table, where: condition, arguments) {
      if try accepts(row, of: table) { valid.append(row) } else { report(try place(of: row, table)) }
    }
    return valid
  }

  /// The first of `fetch`.
  package func first(
    _ transaction: any StorageTransaction, _ table: Table, where condition: String, _ arguments: any StorageConvertible...
  ) throws(StorageError) -> StorageRow? {
    try fetch(transaction, table, where: condition, arguments.map(\.storageValue)).first
  }

  /// Whether the signature of a row that was read with `all` is valid.
  private func accepts(_ row: StorageRow, of table: Table) throws(StorageError) -> Bool {
    guard case .bytes(let mac) = try row.value("mac") else { return false }
    return constantTimeEquals(mac, try self.mac(row, of: table))
  }

  private func all(
    _ transaction: any StorageTransaction, _ table: Table, where condition: String = "TRUE", _ arguments: [StorageValue] = []
  ) throws(StorageError) -> [StorageRow] {
    try transaction.rows(
      "SELECT mac, \(table.columns.joined(separator: ", ")) FROM \(table.rawValue) WHERE \(condition)", arguments)
  }

  private func key(of row: StorageRow, _ table: Table) throws(StorageError) -> [StorageValue] {
    var values: [StorageValue] = []
    for column in table.keyColumns { values.append(try row.value(column)) }
    return values
  }

  private func place(of row: StorageRow, _ table: Table) throws(StorageError) -> Place {
    Place(table: table, key: SHA256Digest.hash(Self.message(of: table, try key(of: row, table))))
  }

  private func report(_ place: Place) {
    let isNew = reported.withLock { $0.count < Self.reportLimit && $0.insert(place).inserted }
    guard isNew else { return }
    logger?.error(
      "a row of the console's database was not written by a console with this key, or changed since; it is ignored",
      metadata: ["table": "\(place.table.rawValue)", "row": "\(Hex.encode(Array(place.key.prefix(4))))"])
  }

  // MARK: Writing

  /// Inserts a row, signed: one value for each of the table's columns.
  ///
  /// The signature covers the values given here (and in `change`), not those in the database afterwards, so that an inserted
  /// trigger's changes are not signed.
  package func insert(
    _ transaction: any StorageTransaction, into table: Table, _ values: [any StorageConvertible]
  ) throws(StorageError) {
    let values = values.map(\.storageValue)
    let places = Array(repeating: "?", count: table.columns.count).joined(separator: ", ")
    _ = try transaction.execute(
      "INSERT INTO \(table.rawValue) (\(table.columns.joined(separator: ", ")), mac) VALUES (\(places), ?)",
      values + [.bytes(mac(of: table, values))])
  }

  /// Changes a column of the valid rows that fulfil an SQL condition, and signs them; returns their number.
  @discardableResult
  package func change(
    _ transaction: any StorageTransaction, _ table: Table, set column: String, to value: any StorageConvertible,
    where condition: String, _ arguments: any StorageConvertible...
  ) throws(StorageError) -> Int {
    let rows = try fetch(transaction, table, where: condition, arguments.map(\.storageValue))
    for row in rows {
      var values: [StorageValue] = []
      for name in table.columns { values.append(name == column ? value.storageValue : try row.value(name)) }
      _ = try transaction.execute(
        "UPDATE \(table.rawValue) SET \(column) = ?, mac = ? WHERE \(table.isRow)",
        [value.storageValue, .bytes(mac(of: table, values))] + (try key(of: row, table)))
    }
    return rows.count
  }

  /// Signs the rows that are signed with another key.
  package func sign(_ transaction: any StorageTransaction, acceptedBy other: AccessRows) throws(StorageError) {
    for table in Table.allCases {
      for row in try all(transaction, table) where try other.accepts(row, of: table) { try keep(transaction, row, table) }
    }
  }

  /// Signs every row, for a database from before rows were signed; the caller is responsible for their validity.
  package func signAll(_ transaction: any StorageTransaction) throws(StorageError) {
    for table in Table.allCases {
      for row in try all(transaction, table) { try keep(transaction, row, table) }
    }
  }

  /// Whether there is a row that is not signed with this key.
  package func isAnyUnsigned(_ transaction: any StorageTransaction) throws(StorageError) -> Bool {
    for table in Table.allCases {
      for row in try all(transaction, table) where try !accepts(row, of: table) { return true }
    }
    return false
  }

  private func keep(_ transaction: any StorageTransaction, _ row: StorageRow, _ table: Table) throws(StorageError) {
    _ = try transaction.execute(
      "UPDATE \(table.rawValue) SET mac = ? WHERE \(table.isRow)",
      [.bytes(try mac(row, of: table))] + (try key(of: row, table)))
  }

  // MARK: Signatures

  private func mac(_ row: StorageRow, of table: Table) throws(StorageError) -> [UInt8] {
    var values: [StorageValue] = []
    for column in table.columns { values.append(try row.value(column)) }
    return mac(of: table, values)
  }

  private func mac(of table: Table, _ values: [StorageValue]) -> [UInt8] {
    HMAC.sha256(Self.message(of: table, values), key: key)
  }

  /// Covers the table's name and each value after its type and length, so that different rows never make the same bytes.
  private static func message(of table: Table, _ values: [StorageValue]) -> [UInt8] {
    var message = Array("understudy access row 1\n\(table.rawValue)\n".utf8)
    for value in values {
      switch value {
      case .null: message.append(UInt8(ascii: "n"))
      case .integer(let value): append(UInt8(ascii: "i"), UInt64(bitPattern: value), to: &message)
      case .real(let value): append(UInt8(ascii: "d"), value.bitPattern, to: &message)
      case .text(let text):
        append(UInt8(ascii: "s"), UInt64(text.utf8.count), to: &message)
        message += text.utf8
      case .bytes(let bytes):
        append(UInt8(ascii: "b"), UInt64(bytes.count), to: &message)
        message += bytes
      }
    }
    return message
  }

  private static func append(_ type: UInt8, _ number: UInt64, to message: inout [UInt8]) {
    message.append(type)
    withUnsafeBytes(of: number.bigEndian) { message.append(contentsOf: $0) }
  }
}
