import Glibc
import Text
import Vault

/// An open folder, private to this user, whose files are accessed by name without following links.
///
/// A class because of its lifetime: `deinit` closes the descriptor.
final class CacheFolder: Sendable {
  /// An entry of the folder.
  struct File: Hashable, Sendable {
    let name: String
    let isFolder: Bool
    let byteCount: Int
    /// When it was last used, in Unix seconds.
    let usedAt: Int
  }

  /// The result of reading a file.
  enum Contents: Hashable, Sendable {
    case missing
    /// It exists but is not a regular file of this user within the size limit.
    case unusable
    case bytes([UInt8])
  }

  /// Writes some of the bytes and returns how many, or −1 and `errno`; a test replaces it to simulate a full disk.
  typealias Write = @Sendable (_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int

  /// The system's `write`.
  static let systemWrite: Write = { Glibc.write($0, $1.baseAddress, $1.count) }
  /// The prefix of unfinished files.
  static let temporaryPrefix = ".new-"
  /// The prefix of folders that are about to be removed.
  static let removedPrefix = ".gone-"

  private let descriptor: Int32

  private init(descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// Opens the folder at a path and creates missing parents; nil if that fails.
  static func open(path: String) -> CacheFolder? {
    var made = path.hasPrefix("/") ? "" : "."
    for part in path.split(separator: "/") {
      made += "/\(part)"
      mkdir(made, 0o700)
    }
    return CacheFolder(parent: AT_FDCWD, name: path)
  }

  /// Opens a subfolder and creates it if it is missing; replaces a file of that name.
  func folder(_ name: String) -> CacheFolder? {
    mkdirat(descriptor, name, 0o700)
    if let folder = CacheFolder(parent: descriptor, name: name) { return folder }
    guard unlinkat(descriptor, name, 0) == 0, mkdirat(descriptor, name, 0o700) == 0 else { return nil }
    return CacheFolder(parent: descriptor, name: name)
  }

  private convenience init?(parent: Int32, name: String) {
    let opened = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard opened >= 0 else { return nil }
    var status = stat()
    guard fstat(opened, &status) == 0, status.st_uid == geteuid(), status.st_mode & 0o077 == 0 || fchmod(opened, 0o700) == 0
    else {
      close(opened)
      return nil
    }
    self.init(descriptor: opened)
  }

  /// Its entries, in no particular order.
  func files() -> [File] {
    let listing = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard listing >= 0, let stream = fdopendir(listing) else { return [] }
    defer { closedir(stream) }
    var files: [File] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: pointer.pointee)) { String(cString: $0) }
      }
      var status = stat()
      guard name != ".", name != "..", fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { continue }
      files.append(
        File(
          name: name, isFolder: status.st_mode & S_IFMT == S_IFDIR, byteCount: status.st_size, usedAt: status.st_mtim.tv_sec))
    }
    return files
  }

  /// Reads a whole file and updates its modification time.
  func read(_ name: String, atMost limit: Int) -> Contents {
    // Non-blocking: opening a named pipe would wait for a writer.
    let file = openat(descriptor, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { return errno == ENOENT ? .missing : .unusable }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(), status.st_size <= limit,
      let bytes = Self.readAll(file, count: status.st_size)
    else { return .unusable }
    futimens(file, nil)
    return .bytes(bytes)
  }

  private static func readAll(_ file: Int32, count: Int) -> [UInt8]? {
    var isWhole = true
    let bytes = [UInt8](unsafeUninitializedCapacity: max(count, 0)) { buffer, filled in
      filled = 0
      while filled < count {
        let got = Glibc.read(file, buffer.baseAddress.map { $0 + filled }, count - filled)
        if got < 0, errno == EINTR { continue }
        guard got > 0 else {
          isWhole = false
          return
        }
        filled += got
      }
    }
    return isWhole ? bytes : nil
  }

  /// Replaces a file atomically; false if that fails, as on a full disk.
  ///
  /// Not synced: a file that a power failure leaves incomplete does not decrypt and counts as missing.
  func write(_ bytes: [UInt8], to name: String, with write: Write = CacheFolder.systemWrite) -> Bool {
    let temporary = Self.temporaryPrefix + Hex.encode(SecureRandom.bytes(8))
    let file = openat(descriptor, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard file >= 0 else { return false }
    let isWhole = Self.writeAll(bytes, to: file, with: write)
    let isClosed = close(file) == 0
    guard isWhole, isClosed, renameat(descriptor, temporary, descriptor, name) == 0 else {
      unlinkat(descriptor, temporary, 0)
      return false
    }
    return true
  }

  private static func writeAll(_ bytes: [UInt8], to file: Int32, with write: Write) -> Bool {
    bytes.withUnsafeBytes { whole in
      var rest = whole[...]
      while !rest.isEmpty {
        let count = write(file, UnsafeRawBufferPointer(rebasing: rest))
        if count < 0, errno == EINTR { continue }
        guard count > 0, count <= rest.count else { return false }
        rest = rest.dropFirst(count)
      }
      return true
    }
  }

  /// Removes a file or link.
  func remove(_ name: String) { unlinkat(descriptor, name, 0) }

  /// Renames a folder so that it is no longer found; returns the new name, nil on failure.
  func moveAway(_ name: String) -> String? {
    let gone = Self.removedPrefix + Hex.encode(SecureRandom.bytes(8))
    return renameat(descriptor, name, descriptor, gone) == 0 ? gone : nil
  }

  /// Removes a subfolder and its contents without following links.
  func removeTree(_ name: String) {
    if let folder = CacheFolder(parent: descriptor, name: name) {
      for file in folder.files() {
        if file.isFolder { folder.removeTree(file.name) } else { folder.remove(file.name) }
      }
    }
    if unlinkat(descriptor, name, AT_REMOVEDIR) != 0 { unlinkat(descriptor, name, 0) }
  }
}
