import Foundation
import Logging
import Vault

/// The source of the vault's key: `--vault-key-file`, else systemd's credential `vault-key`, else a file in the data folder.
struct VaultKeySource: Sendable {
  /// The file of the flag or credential.
  private let given: String?
  /// The file of the old key, from the flag or the credential `vault-old-key`.
  private let oldPath: String?
  /// systemd's credentials folder (systemd.exec(5)); nil if there is none.
  private let credentials: String?
  private let dataFolder: String?

  /// Decides which files to use; nothing is read yet.
  init(path: String?, oldPath: String? = nil, dataFolder: String?) {
    let folder = ProcessInfo.processInfo.environment["CREDENTIALS_DIRECTORY"].flatMap { $0.hasPrefix("/") ? $0 : nil }
    func credential(_ name: String) -> String? {
      folder.map { "\($0)/\(name)" }.flatMap { FileManager.default.fileExists(atPath: $0) ? $0 : nil }
    }
    given = path ?? credential("vault-key")
    self.oldPath = oldPath ?? credential("vault-old-key")
    self.credentials = folder
    self.dataFolder = dataFolder
  }

  /// Whether a flag or a credential names the file.
  var isGiven: Bool { given != nil }

  /// The current or future file of the key; nil if the key is in no file.
  private var path: String? { given ?? dataFolder.map { "\($0)/vault.key" } }

  private var flag: String { given == nil ? "--data" : "--vault-key-file" }

  /// Whether the key's file is missing, so that a new key is created.
  var isMissing: Bool { path.map { !FileManager.default.fileExists(atPath: $0) } ?? true }

  /// The failure of a start with a key that did not seal the data.
  var foreignKey: StartFailure {
    .configuration(
      "\(flag): \(path ?? "the key") is not the key of console.sqlite, or console.sqlite is damaged; put the right key there, or move console.sqlite away to start fresh"
    )
  }

  /// Whether the key is missing although there is data that was sealed with one.
  private var isLost: Bool { isMissing && dataFolder.map { Self.hasContents("\($0)/console.sqlite") } ?? false }

  /// Loads the key; creates the file if it is missing, and a random key if nothing is stored.
  ///
  /// If the key is lost, `file` is the file of a new key. `PendingKeyFile.keep()` names it after the data was sealed with the
  /// key, so that a failed start leaves no file that the next start would reject.
  ///
  /// Throws `StartFailure`: 66 if the file is unusable, cannot be written, or is named and missing although there is data, 78 if others can read it or it does not contain a key.
  func load() throws(StartFailure) -> (key: SealingKey, file: PendingKeyFile?) {
    guard let path else { return (.random(), nil) }
    do throws(VaultError) {
      if let key = try KeyFile.load(path: path, isCredential: isCredential(path)) { return (key, nil) }
      guard isLost, oldPath == nil else { return (try KeyFile.loadOrCreate(path: path), nil) }
      // A mistyped name must not discard what the right key would open.
      guard !isGiven else { throw VaultError.system(call: "open", errno: ENOENT) }
      let key = SealingKey.random()
      return (key, try PendingKeyFile(key, path: path))
    } catch {
      throw Self.failure(error, flag: flag, path: path)
    }
  }

  /// The file as a message names it.
  var shown: String { path ?? "the key in memory" }

  /// Loads the key and creates nothing; nil if there is no file yet. Throws `StartFailure` as `load` does, and 78 if the key is lost.
  func loadExisting() throws(StartFailure) -> SealingKey? {
    guard let path, !isMissing else { return try isLost ? loadUnlessLost() : nil }
    do throws(VaultError) { return try KeyFile.load(path: path, isCredential: isCredential(path)) } catch {
      throw Self.failure(error, flag: flag, path: path)
    }
  }

  /// Loads the key for a command other than `serve`; such a command never replaces a lost key. Throws `StartFailure` as `load` does, and
  /// 78 if the key is lost.
  func loadUnlessLost() throws(StartFailure) -> SealingKey {
    if isLost, let path {
      throw .configuration(
        "\(flag): \(path) is missing; put the key back, name it with --vault-key-file, or start the console, which signs everybody out"
      )
    }
    return try load().key
  }

  /// Names the file of a new key; throws `StartFailure` (66), even if another process has created the file meanwhile.
  func keep(_ file: PendingKeyFile, logger: Logger) throws(StartFailure) {
    do throws(VaultError) { try file.keep() } catch { throw Self.failure(error, flag: flag, path: file.path) }
    logger.warning("the vault key was missing, and a new one was created; signed-in devices are signed out")
  }

  /// Loads the old key; nil if none is named. Throws `StartFailure` like `load`, and 66 if the file is missing.
  func loadOld() throws(StartFailure) -> SealingKey? {
    guard let oldPath else { return nil }
    do throws(VaultError) {
      guard let key = try KeyFile.load(path: oldPath, isCredential: isCredential(oldPath)) else {
        throw VaultError.system(call: "open", errno: ENOENT)
      }
      return key
    } catch {
      throw Self.failure(error, flag: "--vault-old-key-file", path: oldPath)
    }
  }

  /// Whether a file has content; a file that was only created for its lock is empty.
  static func hasContents(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_size > 0
  }

  private func isCredential(_ path: String) -> Bool { credentials.map { path.hasPrefix($0 + "/") } ?? false }

  private static func failure(_ error: VaultError, flag: String, path: String) -> StartFailure {
    switch error {
    case .exposedKeyFile: .configuration("\(flag): others can read \(path); chmod 600 it")
    case .malformedKeyFile: .configuration("\(flag): \(path) does not contain a 32-byte key")
    case .untrustedKeyFile: .inputMissing("\(flag): \(path) is not a regular file of this user")
    case .system(_, let code): .inputMissing("\(flag): \(path) cannot be used: \(String(cString: strerror(code)))")
    default: .inputMissing("\(flag): \(path) cannot be used")
    }
  }
}
