import FoundationEssentials
import Glibc
package import Storage
import Text
package import Vault

/// Detects that a data folder, or a part of it, was restored from a copy.
///
/// The sealed file `epoch` counts the starts and stops. A sealed row of the database contains the same count with the file's inode
/// number and change time; a copy has others, and no user can choose both. A kill between the two writes also looks like a copy,
/// which only costs a call to the backend. A restored disk image is not detected.
package struct DataEpoch: Sendable {
  /// The file's count, inode number and change time.
  private struct Mark: Equatable {
    let count: UInt64
    let inode: UInt64
    let seconds: Int64
    let nanoseconds: Int64

    var text: String { "\(count) \(inode) \(seconds) \(nanoseconds)" }

    init(count: UInt64, _ status: stat) {
      self.count = count
      inode = UInt64(status.st_ino)
      seconds = Int64(status.st_ctim.tv_sec)
      nanoseconds = Int64(status.st_ctim.tv_nsec)
    }
  }

  private static let name = "epoch"
  private static let filePlace = Array("epoch file".utf8)
  private static let rowPlace = Array("vault_secret\nepoch".utf8)
  private static let fileLimit = 256

  private let folder: String
  private let key: SealingKey
  private let old: SealingKey?

  /// `old` is the vault's previous key, if there was one.
  package init(folder: String, key: SealingKey, old: SealingKey?) {
    self.folder = folder
    self.key = key
    self.old = old
  }

  /// Whether the folder has an epoch; older versions did not write one.
  package var isKept: Bool {
    var status = stat()
    return lstat("\(folder)/\(Self.name)", &status) == 0
  }

  /// Whether the key opens the file.
  package var isReadable: Bool { readFile() != nil }

  /// How this epoch continues the last one.
  package enum Beginning: Sendable {
    /// Neither file nor database was replaced, or there is no earlier epoch.
    case continued
    /// The database is older than the file.
    case databaseBehind
    /// The file, or file and database, are a copy.
    case copied
  }

  /// Begins a new epoch and returns how it follows the last one.
  ///
  /// A copy's tokens may be used up, which the backend decides: a launch refreshes them, and a rejection ends the session.
  ///
  /// Throws ``StorageError``, or `VaultError` if the file cannot be written.
  package func begin(_ storage: any StorageEngine) async throws -> Beginning {
    let sealedRow = try await storage.read { try VaultSecret.epoch.sealed($0) }
    let file = readFile()
    let row = sealedRow.flatMap { open($0, Self.rowPlace) }
    let isNew = sealedRow == nil && !isKept
    try await renew(storage, count: max(file?.count ?? 0, Self.count(row) ?? 0))
    guard !isNew else { return .continued }
    guard let file else { return .copied }
    if row == file.text { return .continued }
    return (Self.count(row) ?? 0) < file.count ? .databaseBehind : .copied
  }

  /// Ends the epoch at a stop, so that a copy made before is detected.
  package func end(_ storage: any StorageEngine) async throws {
    guard let file = readFile() else { return }
    try await renew(storage, count: file.count)
  }

  private func renew(_ storage: any StorageEngine, count: UInt64) async throws {
    let mark = try writeFile(count: count == .max ? 0 : count + 1)
    let sealed = key.seal(Array(mark.text.utf8), associatedData: Self.rowPlace)
    try await storage.write { try VaultSecret.epoch.keep($0, sealed) }
  }

  private static func count(_ row: String?) -> UInt64? { row?.split(separator: " ").first.flatMap { UInt64($0) } }

  private func open(_ sealed: [UInt8], _ place: [UInt8]) -> String? {
    let opened = (try? key.open(sealed, associatedData: place)) ?? (try? old?.open(sealed, associatedData: place))
    return opened.map { String(decoding: $0, as: UTF8.self) }
  }

  // MARK: The file

  private func readFile() -> Mark? {
    let file = Glibc.open("\(folder)/\(Self.name)", O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var status = stat()
    var bytes = [UInt8](repeating: 0, count: Self.fileLimit)
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    let length = read(file, &bytes, bytes.count)
    guard length > 0, let text = open(Array(bytes[..<length]), Self.filePlace), let count = UInt64(text) else { return nil }
    return Mark(count: count, status)
  }

  /// Replaces the file durably and returns its mark.
  private func writeFile(count: UInt64) throws(VaultError) -> Mark {
    let path = "\(folder)/\(Self.name)"
    let temporary = "\(path).\(Hex.encode(SecureRandom.bytes(8)))"
    let file = Glibc.open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw .system(call: "open", errno: errno) }
    defer { close(file) }
    let bytes = key.seal(Array("\(count)".utf8), associatedData: Self.filePlace)
    // A write this small is never partial.
    guard write(file, bytes, bytes.count) == bytes.count, fsync(file) == 0, rename(temporary, path) == 0 else {
      let code = errno
      unlink(temporary)
      throw .system(call: "write", errno: code)
    }
    // The rename changes the file's change time too.
    var status = stat()
    guard fstat(file, &status) == 0 else { throw .system(call: "fstat", errno: errno) }
    let parent = Glibc.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard parent >= 0 else { throw .system(call: "open", errno: errno) }
    defer { close(parent) }
    guard fsync(parent) == 0 else { throw .system(call: "fsync", errno: errno) }
    return Mark(count: count, status)
  }
}
