import CLinux
import Glibc

/// A directory whose files can be opened. Nothing outside it is reachable, by `..`, a symbolic link or otherwise.
final class FileRoot: Sendable {
  /// Identifies one version of a file.
  struct Identity: Equatable, Sendable {
    var device: UInt64
    var inode: UInt64
    var size: Int
    var modifiedSeconds: Int64
    var modifiedNanoseconds: Int64
  }

  /// The result of opening a file.
  enum Opening {
    case file(OpenFile)
    /// There is no regular file with this path below the root.
    case none
    /// The process or the system cannot open the file at the moment.
    case unavailable
  }

  private static let resolve =
    UInt64(RESOLVE_BENEATH) | UInt64(RESOLVE_NO_MAGICLINKS) | UInt64(RESOLVE_NO_SYMLINKS)

  private let descriptor: Int32

  /// Opens the directory; nil if the path is not a directory.
  init?(path: String) {
    descriptor = Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
  }

  deinit { if descriptor >= 0 { Glibc.close(descriptor) } }

  /// Opens a regular file.
  func open(_ path: String) -> Opening {
    let file = openDescriptor(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW)
    if file >= 0 { return OpenFile.opening(owning: file) }
    switch errno {
    case EMFILE, ENFILE, ENOMEM, EINTR, EAGAIN, EIO: return .unavailable
    default: return .none
    }
  }

  /// Returns an open descriptor, or a negative number with `errno` set.
  private func openDescriptor(_ path: String, _ flags: Int32) -> Int32 {
    var renames = 0
    while true {
      let file = clinux_openat2(descriptor, path, flags, Self.resolve)
      if file < 0, errno == EINTR { continue }
      // EAGAIN: a directory on the path was renamed meanwhile (openat2(2)), so try again.
      guard file < 0, errno == EAGAIN, renames < 8 else { return file }
      renames += 1
    }
  }

  /// The relative paths of all regular files, except those with a path component that begins with a dot.
  func regularFiles() -> [String] {
    var found: [String] = []
    var directories = [""]
    while let directory = directories.popLast() {
      for (name, type) in entries(of: directory) {
        let path = directory.isEmpty ? name : directory + "/" + name
        switch type {
        case Int32(DT_DIR): directories.append(path)
        case Int32(DT_REG): found.append(path)
        default: if case .file = open(path) { found.append(path) }
        }
      }
    }
    return found.sorted()
  }

  /// The names in a directory without those that begin with a dot, with their types (readdir(3)).
  private func entries(of directory: String) -> [(name: String, type: Int32)] {
    let opened = openDescriptor(directory.isEmpty ? "." : directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard opened >= 0 else { return [] }
    guard let handle = fdopendir(opened) else {
      Glibc.close(opened)
      return []
    }
    defer { closedir(handle) }
    var found: [(name: String, type: Int32)] = []
    while let entry = readdir(handle) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if !name.hasPrefix(".") { found.append((name, Int32(entry.pointee.d_type))) }
    }
    return found
  }
}
