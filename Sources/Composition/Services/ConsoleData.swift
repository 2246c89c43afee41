import Console
import Domain
import Foundation
import Logging
import Redaction
import Storage
import Team
import Vault

/// A console's stored data, opened with the vault's key: in its data folder, in a database that several consoles share, or in
/// memory.
struct ConsoleData: Sendable {
  /// The data folder; nil if nothing is kept in one.
  let folder: DataFolder?
  let storage: any StorageEngine
  let key: SealingKey
  /// The key of the tags that replace identifiers.
  let tagKey: [UInt8]
  /// Saves the devices' logs, timelines and fault rules; nil if they are not kept.
  let savedLog: SavedLogWriter?
  /// Which devices are awake on this console.
  let placement: any DevicePlacement<WriteFence>
  private let epoch: DataEpoch?
  private let logger: Logger

  /// Locks a data folder as a console does; throws as ``DataFolder/init(path:)``.
  static func lock(_ path: String) throws(StartFailure) -> DataFolder {
    let folder = try DataFolder(path: path)
    try folder.lockDatabase("console.sqlite")
    try folder.lockDatabase("evidence.sqlite")
    // A process that finds the lock from now on must not open the address of the earlier console.
    AddressFile(folder: path).endReady()
    return folder
  }

  /// Opens the data of a console whose folder is locked; throws `StartFailure`.
  static func open(_ settings: ServeSettings, in folder: DataFolder?, logger: Logger) async throws(StartFailure) -> ConsoleData {
    // A console that lost its key continues with a new one, and signs out all devices.
    let foreignKey = settings.vaultKey.isMissing ? nil : settings.vaultKey.foreignKey
    let old = try settings.vaultKey.loadOld()
    let (key, newKeyFile) = try settings.vaultKey.load()
    if let database = settings.database {
      let shared = try await SharedDatabase.open(database, key: key, old: old, settings.redactionRules, logger: logger)
      if let newKeyFile { try settings.vaultKey.keep(newKeyFile, logger: logger) }
      return ConsoleData(
        folder: nil, storage: database, key: key, tagKey: shared.tagKey, savedLog: shared.savedLog, placement: shared.leases,
        epoch: nil, logger: logger)
    }
    let storage = try await openStorage(folder, logger)
    let epoch = folder.map { DataEpoch(folder: $0.path, key: key, old: old) }
    let tagKey = try await vault(key, old, epoch, storage, folder, foreignKey, logger)
    if let newKeyFile { try settings.vaultKey.keep(newKeyFile, logger: logger) }
    let savedLog = try await openSavedLog(folder, tagKey, storage, settings.redactionRules, logger)
    return ConsoleData(
      folder: folder, storage: storage, key: key, tagKey: tagKey, savedLog: savedLog, placement: SingleConsolePlacement(),
      epoch: epoch,
      logger: logger)
  }

  /// Ends the epoch and closes the folder's databases.
  func close() async {
    guard folder != nil else { return }
    do { try await epoch?.end(storage) } catch { logger.warning("the data folder's epoch could not be written") }
    await storage.close()
    await savedLog?.closeFile()
  }

  private static func openStorage(_ folder: DataFolder?, _ logger: Logger) async throws(StartFailure) -> any StorageEngine {
    for name in ["console.sqlite", "evidence.sqlite"] {
      guard let path = folder?.file(name), WriteAheadLog.isDamaged(of: path) else { continue }
      logger.warning("\(name)-wal is damaged; what was written to \(name) since its last checkpoint is lost")
    }
    do {
      return try await ConsoleDatabase.open(
        path: folder?.file("console.sqlite"), teamTables: PersonSchema.tables, owner: folder)
    } catch {
      throw .inputMissing("--data: console.sqlite cannot be opened; move it away to start fresh")
    }
  }

  /// Opens the file of logs and timelines, and deletes the data of deleted devices; nil if nothing is stored on disk.
  private static func openSavedLog(
    _ folder: DataFolder?, _ tagKey: [UInt8], _ storage: any StorageEngine, _ rules: RedactionRules, _ logger: Logger
  ) async throws(StartFailure) -> SavedLogWriter? {
    guard let folder, let key = SavedLogStore.key(tagKey: tagKey) else { return nil }
    let path = folder.file("evidence.sqlite")
    do {
      let store = SavedLogStore(
        storage: try await SavedLogSchema.open(path: path, owner: folder), key: key, redactionRules: rules)
      try await store.removeAll(but: BrowserStore.deviceIDs(in: storage))
      try await store.removeIncompleteRecordings()
      return SavedLogWriter(store: store, time: .system, logger: logger)
    } catch {
      throw .inputMissing("--data: evidence.sqlite cannot be opened; move it away to start with empty logs")
    }
  }

  /// Re-encrypts the data with the new key, begins a new epoch, and returns the key of the tags that replace identifiers; throws
  /// `foreignKey` if another key sealed the data.
  private static func vault(
    _ key: SealingKey, _ old: SealingKey?, _ epoch: DataEpoch?, _ storage: any StorageEngine, _ folder: DataFolder?,
    _ foreignKey: StartFailure?, _ logger: Logger
  ) async throws(StartFailure) -> [UInt8] {
    let cache = folder?.file("cache")
    do {
      if let old {
        let count = try await KeyRotation.reseal(storage, from: old, to: key)
        // The cache can be fetched again, and the old key may be compromised.
        if count > 0, let cache { try? FileManager.default.removeItem(atPath: cache) }
        logger.notice("data re-encrypted with the new key", metadata: ["count": "\(count)"])
      }
      // With the right key, which opens the epoch too, only the row is damaged.
      if let foreignKey, epoch?.isReadable != true,
        case .foreign = try await KeyRotation.storedTagKey(storage, key: key)
      {
        throw foreignKey
      }
      let tagKey = try await KeyRotation.tagKey(
        storage, key: key, voiding: PersonSchema.voiding, mayBeUnsigned: epoch?.isKept != true
      ) {
        logger.warning("console.sqlite does not belong to this vault key; its encrypted data is discarded")
        if let cache { try? FileManager.default.removeItem(atPath: cache) }
      }
      switch try await epoch?.begin(storage) {
      case .copied:
        logger.notice("the data folder, or part of it, was restored from a copy; the backend is asked about each session")
      case .databaseBehind:
        logger.notice(
          "console.sqlite lacks its latest changes: it was restored from a copy, or console.sqlite-wal was lost or damaged; the backend is asked about each session"
        )
      case .continued, nil: break
      }
      return tagKey
    } catch let failure as StartFailure {
      throw failure
    } catch {
      throw .inputMissing("--data: console.sqlite cannot be written")
    }
  }
}
