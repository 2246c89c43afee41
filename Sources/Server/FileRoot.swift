import CLinux
import Glibc

/// A directory below which files are opened; nothing outside it can be reached, by `..`, a link or otherwise.
final class FileRoot: Sendable {
  /// What tells one state of a file from another.
  struct Identity: Equatable, Sendable {
    var device: UInt64
    var inode: UInt64
    var size: Int
    var modifiedSeconds: Int64
    var modifiedNanoseconds: Int64
  }

  /// Files above this many bytes are not served from memory, so not at all.
  static let maximumSize = 64 * 1024 * 1024
  private static let resolve =
    UInt64(RESOLVE_BENEATH) | UInt64(RESOLVE_NO_MAGICLINKS) | UInt64(RESOLVE_NO_SYMLINKS)

  private let descriptor: Int32

  /// Opens the directory; nil where it is none.
  init?(path: String) {
    descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
  }

  deinit { if descriptor >= 0 { Glibc.close(descriptor) } }

  /// The state of a regular file; nil where there is none.
  func identity(of path: String) -> Identity? {
    let file = clinux_openat2(descriptor, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW, Self.resolve)
    guard file >= 0 else { return nil }
    defer { Glibc.close(file) }
    return Self.identity(of: file)
  }

  /// The state and the bytes of a regular file; nil where there is none, it is too large, or it changes while it is read.
  func read(_ path: String) -> (Identity, [UInt8])? {
    let file = clinux_openat2(descriptor, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW, Self.resolve)
    guard file >= 0 else { return nil }
    defer { Glibc.close(file) }
    guard let identity = Self.identity(of: file), identity.size <= Self.maximumSize else { return nil }
    var bytes = [UInt8](repeating: 0, count: identity.size)
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeMutableBytes { Glibc.read(file, $0.baseAddress?.advanced(by: done), $0.count - done) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return nil }
      done += count
    }
    guard Self.identity(of: file) == identity else { return nil }
    return (identity, bytes)
  }

  /// The relative paths of every regular file whose path has no part that begins with a dot.
  func regularFiles() -> [String] {
    var found: [String] = []
    var directories = [""]
    while let directory = directories.popLast() {
      let opened = clinux_openat2(
        descriptor, directory.isEmpty ? "." : directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC, Self.resolve)
      guard opened >= 0 else { continue }
      guard let handle = fdopendir(opened) else {
        Glibc.close(opened)
        continue
      }
      defer { closedir(handle) }
      while let entry = readdir(handle) {
        let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        guard !name.hasPrefix(".") else { continue }
        let path = directory.isEmpty ? name : directory + "/" + name
        switch Int32(entry.pointee.d_type) {
        case Int32(DT_DIR): directories.append(path)
        case Int32(DT_REG): found.append(path)
        default: if identity(of: path) != nil { found.append(path) }
        }
      }
    }
    return found.sorted()
  }

  private static func identity(of file: Int32) -> Identity? {
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size >= 0 else { return nil }
    return Identity(
      device: UInt64(status.st_dev), inode: UInt64(status.st_ino), size: Int(status.st_size),
      modifiedSeconds: Int64(status.st_mtim.tv_sec), modifiedNanoseconds: Int64(status.st_mtim.tv_nsec))
  }
}
