import Console
import Domain
import Logging
import Redaction
import Storage
import Team
import Vault

/// The database that several consoles share.
struct SharedDatabase: Sendable {
  /// The schema of its tables.
  static let schema = "understudy_console"
  /// The steps of all tables of a console, and of the table that places devices on consoles.
  static let migrations =
    ConsoleDatabase.migrations + SavedLogSchema.migrations + LeaseSchema.migrations + PersonSchema.migrations

  /// The key of the tags that replace identifiers.
  let tagKey: [UInt8]
  /// Which devices are awake on this console.
  let leases: DeviceLeases
  /// Saves the devices' logs, timelines and fault rules; nil if the key is damaged.
  let savedLog: SavedLogWriter?

  /// Creates the missing tables, reads the key of the tags, which the first console creates, and deletes the data of deleted
  /// devices and incomplete imports.
  ///
  /// Throws `StartFailure`: 69 if the database cannot be reached, 78 if its data belongs to another vault key or a newer version.
  static func open(
    _ storage: PostgreSQLStorage, key: SealingKey, old: SealingKey?, _ rules: RedactionRules = .all, logger: Logger
  ) async throws(StartFailure) -> SharedDatabase {
    do {
      try await migrations.migrate(storage)
      if let old {
        let count = try await KeyRotation.reseal(storage, from: old, to: key)
        logger.notice("data re-encrypted with the new key", metadata: ["count": "\(count)"])
      }
      // A wrong key must not void the other consoles' data.
      if case .foreign = try await KeyRotation.storedTagKey(storage, key: key) {
        throw StartFailure.configuration("--vault-key-file: the data of the database belongs to another key")
      }
      let tagKey = try await KeyRotation.tagKey(storage, key: key, voiding: PersonSchema.voiding)
      let savedLog = SavedLogStore.key(tagKey: tagKey).map { SavedLogStore(storage: storage, key: $0, redactionRules: rules) }
      try await savedLog?.removeAllOfGoneDevices()
      try await savedLog?.removeIncompleteRecordings(dayBefore: Time.system.wall())
      return SharedDatabase(
        tagKey: tagKey, leases: DeviceLeases(storage: storage, time: .system, logger: logger),
        savedLog: savedLog.map { SavedLogWriter(store: $0, time: .system, logger: logger) })
    } catch let failure as StartFailure {
      throw failure
    } catch {
      throw .database(error)
    }
  }
}
