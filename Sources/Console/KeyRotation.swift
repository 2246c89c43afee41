import Client
import FoundationEssentials
package import GRDB
package import Vault

/// Changes the key that the console's file is sealed with, and keeps what must outlive such a change.
package enum KeyRotation {
  private static let tagKeyName = "identifier tags"
  private static let tagKeyPlace = Array("vault_secret\nidentifier tags".utf8)

  /// Makes the table of the keys that are kept sealed.
  static func migrate(_ db: Database) throws {
    try db.create(table: "vault_secret") { table in
      table.primaryKey("name", .text)
      table.column("sealed", .blob).notNull()
    }
  }

  /// Seals with `new` whatever `old` opens, all of it or nothing, and returns how much that was.
  ///
  /// What `old` does not open is left: it is sealed with `new` already, or is nobody's any more. Throws GRDB's `DatabaseError`.
  package static func reseal(_ database: any DatabaseWriter, from old: SealingKey, to new: SealingKey) throws -> Int {
    let count = try database.write { db in
      var count = try SealedTokenStore.reseal(db, from: old, to: new)
      count += try DeviceLedger.reseal(db, from: old, to: new)
      if let sealed = try sealedTagKey(db) {
        if let key = try? old.open(sealed, associatedData: tagKeyPlace) {
          try keep(db, tagKey: key, sealedWith: new)
          count += 1
        }
      } else if count > 0 {
        // A file from before the tags had a key of their own.
        try keep(db, tagKey: old.derive(tagKeyName), sealedWith: new)
        count += 1
      }
      return count
    }
    // The pages of before stay in the log of changes until it is written back.
    try database.writeWithoutTransaction { db in _ = try db.checkpoint(.truncate) }
    return count
  }

  /// The key of the tags that stand for identifiers and accounts: the same whatever key the file is sealed with.
  ///
  /// A key that does not open is made anew, and what was tagged with it is not found again. Throws GRDB's `DatabaseError`.
  package static func tagKey(_ database: any DatabaseWriter, key: SealingKey) throws -> [UInt8] {
    if let sealed = try database.read({ try sealedTagKey($0) }), let tagKey = try? key.open(sealed, associatedData: tagKeyPlace) {
      return tagKey
    }
    return try database.write { db in
      let tagKey = try sealedTagKey(db) == nil ? key.derive(tagKeyName) : SecureRandom.bytes(SealingKey.byteCount)
      try keep(db, tagKey: tagKey, sealedWith: key)
      return tagKey
    }
  }

  private static func sealedTagKey(_ db: Database) throws -> [UInt8]? {
    try Data.fetchOne(db, sql: "SELECT sealed FROM vault_secret WHERE name = ?", arguments: [tagKeyName]).map { [UInt8]($0) }
  }

  private static func keep(_ db: Database, tagKey: [UInt8], sealedWith key: SealingKey) throws {
    try db.execute(
      sql: "INSERT INTO vault_secret (name, sealed) VALUES (?, ?) ON CONFLICT DO UPDATE SET sealed = excluded.sealed",
      arguments: [tagKeyName, Data(key.seal(tagKey, associatedData: tagKeyPlace))])
  }
}
