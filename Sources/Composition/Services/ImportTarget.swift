import Console
import Foundation
import Redaction
import Storage
import Team
import Vault

/// The recordings of a data folder, for a command that adds one while a console may be running on it.
///
/// Without a console, the command locks the folder as a console does. A running console shares its database, as SQLite allows it,
/// and lists the recording as soon as it is complete.
struct ImportTarget {
  let store: SavedLogStore
  /// Whether another process has locked the folder.
  private let isShared: Bool

  /// Opens the recordings of a folder; throws `StartFailure`.
  init(folder path: String, vaultKey: VaultKeySource, redactionRules: RedactionRules) async throws(StartFailure) {
    let folder = try Self.lock(path)
    isShared = folder == nil
    let file = { (name: String) in folder?.file(name) ?? "\(path)/\(name)" }
    if isShared {
      for name in ["console.sqlite", "evidence.sqlite"] where !VaultKeySource.hasContents(file(name)) {
        throw .unavailable("--data: \(path) is in use by another process that has no recordings; try again later")
      }
    }
    let key = try vaultKey.loadUnlessLost()
    let tagKey: [UInt8]
    do {
      tagKey = try await Self.tagKey(file("console.sqlite"), key, folder)
    } catch let failure as StartFailure {
      throw failure
    } catch {
      throw .inputMissing("--data: console.sqlite cannot be read")
    }
    guard let savedLogKey = SavedLogStore.key(tagKey: tagKey) else { throw .inputMissing("--data: console.sqlite is damaged") }
    do {
      let storage = try await SavedLogSchema.open(path: file("evidence.sqlite"), owner: folder, isShared: isShared)
      store = SavedLogStore(storage: storage, key: savedLogKey, redactionRules: redactionRules)
    } catch is SavedLogSchema.OtherVersion {
      throw .unavailable("--data: \(path) is in use by another version of Understudy")
    } catch {
      throw .inputMissing("--data: evidence.sqlite cannot be opened")
    }
  }

  /// The locked folder; nil if a console has locked it.
  private static func lock(_ path: String) throws(StartFailure) -> DataFolder? {
    do throws(StartFailure) {
      return try ConsoleData.lock(path)
    } catch {
      guard error.exitCode == StartFailure.unavailable("").exitCode else { throw error }
      return nil
    }
  }

  /// The key of the tags; created in a folder that no console has used yet.
  private static func tagKey(_ path: String, _ key: SealingKey, _ folder: DataFolder?) async throws -> [UInt8] {
    let stored: KeyRotation.StoredTagKey
    if let folder {
      let storage = try await ConsoleDatabase.open(path: path, teamTables: PersonSchema.tables, owner: folder)
      stored = try await KeyRotation.storedTagKey(storage, key: key)
      if case .missing = stored { return try await KeyRotation.tagKey(storage, key: key, voiding: PersonSchema.voiding) }
    } else {
      var options = SQLiteStorage.Options()
      options.isReadOnly = true
      stored = try await KeyRotation.storedTagKey(SQLiteStorage(path: path, options), key: key)
    }
    switch stored {
    case .key(let tagKey): return tagKey
    // A console that starts with this key voids the folder's secrets, which an import must not do.
    case .foreign: throw StartFailure.configuration("--data: console.sqlite does not belong to this vault key")
    case .missing: throw StartFailure.unavailable("--data: the folder's console has not started yet; try again later")
    }
  }
}
