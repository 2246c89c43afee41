import Glibc
import Text

/// The file with the key of the data folder.
package enum KeyFile {
  /// Loads the key at `path`; creates the file first if it does not exist.
  ///
  /// The file contains 64 hexadecimal digits, as new files do, with or without a line end, or 32 bytes that are not all hexadecimal
  /// digits. It must be a regular file of this user without permissions for others. Two processes that create it at the same time
  /// get the same key.
  package static func loadOrCreate(path: String) throws(VaultError) -> SealingKey {
    if let key = try load(path: path) { return key }
    do { try PendingKeyFile(.random(), path: path).keep() } catch {
      guard case .system("link", EEXIST) = error else { throw error }
    }
    guard let key = try load(path: path) else { throw .system(call: "open", errno: ENOENT) }
    return key
  }

  /// Loads the key at `path`; returns nil if the file does not exist.
  ///
  /// A credential is a file that systemd created for this service (systemd.exec(5), `LoadCredential=`). Unlike other files it may belong
  /// to root and be readable by its group.
  package static func load(path: String, isCredential: Bool = false) throws(VaultError) -> SealingKey? {
    // Non-blocking, because opening a named pipe would wait for a writer.
    let descriptor = Glibc.open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      if errno == ELOOP { throw .untrustedKeyFile }
      throw .system(call: "open", errno: errno)
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .system(call: "fstat", errno: errno) }
    guard status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid() || isCredential && status.st_uid == 0 else {
      throw .untrustedKeyFile
    }
    guard status.st_mode & (isCredential ? 0o037 : 0o077) == 0 else { throw .exposedKeyFile(mode: status.st_mode & 0o777) }
    let contents = try read(descriptor, atMost: 2 * SealingKey.byteCount + 3)
    guard let key = key(from: contents) else { throw .malformedKeyFile }
    return key
  }

  /// Parses the contents of a key file; also nil for 32 hexadecimal digits, which are half a key in text.
  private static func key(from contents: [UInt8]) -> SealingKey? {
    if let key = SealingKey(bytes: contents) {
      return Hex.decode(String(decoding: contents, as: UTF8.self)) == nil ? key : nil
    }
    var digits = contents[...]
    if digits.last == UInt8(ascii: "\n") { digits.removeLast() }
    if digits.last == UInt8(ascii: "\r") { digits.removeLast() }
    return Hex.decode(String(decoding: digits, as: UTF8.self)).flatMap { SealingKey(bytes: $0) }
  }

  /// Reads the first bytes of an open file.
  private static func read(_ descriptor: Int32, atMost limit: Int) throws(VaultError) -> [UInt8] {
    var contents: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: limit)
    while contents.count < limit {
      let count = Glibc.read(descriptor, &chunk, limit - contents.count)
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw .system(call: "read", errno: errno) }
      if count == 0 { break }
      contents.append(contentsOf: chunk[..<count])
    }
    return contents
  }

  /// Writes all bytes to the disk; returns the error if that fails.
  fileprivate static func write(_ bytes: [UInt8], to descriptor: Int32) -> VaultError? {
    guard fchmod(descriptor, 0o600) == 0 else { return .system(call: "fchmod", errno: errno) }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return .system(call: "write", errno: errno) }
      rest = rest.dropFirst(count)
    }
    return fsync(descriptor) == 0 ? nil : .system(call: "fsync", errno: errno)
  }

  /// Makes the new directory entry durable.
  fileprivate static func synchronizeFolder(of path: String) throws(VaultError) {
    let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    let descriptor = Glibc.open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .system(call: "open", errno: errno) }
    defer { close(descriptor) }
    guard fsync(descriptor) == 0 else { throw .system(call: "fsync", errno: errno) }
  }
}

/// A file with a new key under a temporary name: it is complete and on the disk, and is deleted unless it is kept.
package final class PendingKeyFile: Sendable {
  /// The future name of the file.
  package let path: String
  private let temporary: String

  /// Writes the key to a file in the folder of `path`; throws `VaultError.system`.
  package init(_ key: SealingKey, path: String) throws(VaultError) {
    self.path = path
    temporary = "\(path).\(Hex.encode(SecureRandom.bytes(8)))"
    let descriptor = Glibc.open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .system(call: "open", errno: errno) }
    let failure = KeyFile.write(Array((Hex.encode(key.bytes) + "\n").utf8), to: descriptor)
    close(descriptor)
    if let failure { throw failure }
  }

  deinit { unlink(temporary) }

  /// Names the file, so that other processes never read a partial key and no key is replaced; throws `VaultError.system` with
  /// `EEXIST` if there is a file.
  package func keep() throws(VaultError) {
    guard link(temporary, path) == 0 else { throw .system(call: "link", errno: errno) }
    try KeyFile.synchronizeFolder(of: path)
  }
}
