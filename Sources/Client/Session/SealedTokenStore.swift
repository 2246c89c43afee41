import FoundationEssentials
package import GRDB
package import Storage
package import Vault

/// One device's tokens for one backend, encrypted with AES-256-GCM in a shared database.
///
/// The associated data binds backend, device and row name, so that a row copied elsewhere does not decrypt. Calls block for one
/// small statement; the session controller keeps them off the event loops.
package struct SealedTokenStore: TokenStore {
  private let database: any DatabaseWriter
  private let writer: GroupedWriter
  private let key: SealingKey
  private let backendID: String
  private let deviceID: String

  /// Creates the store of one device and backend; the table must exist (`migrate`). Other stores may write by the same `writer`.
  package init(
    database: any DatabaseWriter, writer: GroupedWriter? = nil, key: SealingKey, backendID: String, deviceID: String
  ) {
    self.database = database
    self.writer = writer ?? GroupedWriter(database)
    self.key = key
    self.backendID = backendID
    self.deviceID = deviceID
  }

  /// Creates the table if it is missing.
  package static func migrate(_ db: Database) throws {
    try db.execute(
      sql: """
        CREATE TABLE IF NOT EXISTS client_token (
          device_id TEXT NOT NULL,
          backend_id TEXT NOT NULL,
          sealed BLOB NOT NULL,
          updated_at TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now')),
          PRIMARY KEY (device_id, backend_id)
        ) STRICT, WITHOUT ROWID
        """)
  }

  /// Removes the tokens of a device, for every backend.
  package static func removeAll(deviceID: String, in db: Database) throws {
    try db.execute(sql: "DELETE FROM client_token WHERE device_id = ?", arguments: [deviceID])
  }

  /// Makes all tokens unreadable, so that their devices are signed out with the reason `vault_damaged`.
  package static func invalidateAll(_ db: Database) throws {
    try db.execute(sql: "UPDATE client_token SET sealed = x'00'")
  }

  /// Reads the tokens, nil if there are none; throws `damaged` if they do not decrypt.
  package func load() throws(TokenStoreError) -> StoredTokens? {
    let sealed = try run {
      try database.read { db in
        try Data.fetchOne(
          db.cachedStatement(sql: "SELECT sealed FROM client_token WHERE device_id = ? AND backend_id = ?"),
          arguments: [deviceID, backendID])
      }
    }
    guard let sealed else { return nil }
    guard let opened = try? key.open([UInt8](sealed), associatedData: associatedData),
      let tokens = try? JSONDecoder().decode(StoredTokens.self, from: Data(opened))
    else { throw .damaged }
    return tokens
  }

  /// Saves the tokens, replacing earlier ones.
  package func save(_ tokens: StoredTokens) throws(TokenStoreError) {
    guard let plain = try? JSONEncoder().encode(tokens) else { throw .unavailable }
    let sealed = Data(key.seal([UInt8](plain), associatedData: associatedData))
    try run {
      try writer.writeAndWait { [deviceID, backendID] db in
        try db.cachedStatement(
          sql: """
            INSERT INTO client_token (device_id, backend_id, sealed) VALUES (?, ?, ?)
            ON CONFLICT DO UPDATE SET sealed = excluded.sealed, updated_at = excluded.updated_at
            """
        ).execute(arguments: [deviceID, backendID, sealed])
      }
    }
  }

  /// Removes the tokens.
  package func clear() throws(TokenStoreError) {
    try run {
      try writer.writeAndWait { [deviceID, backendID] db in
        try db.cachedStatement(
          sql: "DELETE FROM client_token WHERE device_id = ? AND backend_id = ?"
        ).execute(arguments: [deviceID, backendID])
      }
    }
  }

  /// Encrypts with `new` the tokens that `old` decrypts, for every device and backend; returns how many.
  package static func reseal(_ db: Database, from old: SealingKey, to new: SealingKey) throws -> Int {
    var count = 0
    for row in try Row.fetchAll(db.cachedStatement(sql: "SELECT device_id, backend_id, sealed FROM client_token")) {
      let (deviceID, backendID): (String, String) = (row["device_id"], row["backend_id"])
      let place = associatedData(backendID, deviceID)
      guard let opened = try? old.open([UInt8](row["sealed"] as Data), associatedData: place) else { continue }
      try db.cachedStatement(
        sql: "UPDATE client_token SET sealed = ? WHERE device_id = ? AND backend_id = ?"
      ).execute(arguments: [Data(new.seal(opened, associatedData: place)), deviceID, backendID])
      count += 1
    }
    return count
  }

  private var associatedData: [UInt8] { Self.associatedData(backendID, deviceID) }

  /// Lengths precede the parts, so that no two pairs give the same bytes.
  private static func associatedData(_ backendID: String, _ deviceID: String) -> [UInt8] {
    ["client_token", backendID, deviceID].flatMap { part in
      Array("\(part.utf8.count):".utf8) + Array(part.utf8)
    }
  }

  private func run<Value>(_ body: () throws -> Value) throws(TokenStoreError) -> Value {
    do {
      return try body()
    } catch let error as DatabaseError where error.resultCode == .SQLITE_FULL {
      throw .storageFull
    } catch let error as DatabaseError where error.resultCode == .SQLITE_CORRUPT || error.resultCode == .SQLITE_NOTADB {
      throw .damaged
    } catch {
      throw .unavailable
    }
  }
}
