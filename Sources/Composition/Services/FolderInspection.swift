import Foundation
import Text

/// Checks a data folder for files that another user of this machine could have created, could change or could read.
///
/// Every item must be a regular file or folder of this user or root, without permissions for others. Links are not followed. No
/// file is opened, because closing it would release SQLite's locks on it.
struct FolderInspection {
  /// The flag that named the folder.
  let flag: String
  private let user = geteuid()

  /// The deepest nesting of folders; the program's own need four.
  private static let depth = 16

  /// Checks the folder, its contents and its parents; throws `StartFailure` (66) for the first problem.
  func check(_ path: String) throws(StartFailure) {
    var status = stat()
    guard lstat(path, &status) == 0 else { throw failure(path, Self.reason(errno)) }
    try check(status, path)
    guard status.st_mode & S_IFMT == S_IFDIR else { throw failure(path, "is not a folder") }
    try checkParents(of: path)
    let folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard folder >= 0 else { throw failure(path, Self.reason(errno)) }
    defer { close(folder) }
    try checkContents(folder, path, depth: 1)
  }

  /// Checks an open file of the folder.
  func check(file descriptor: Int32, _ path: String) throws(StartFailure) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw failure(path, Self.reason(errno)) }
    try check(status, path)
    guard status.st_mode & S_IFMT == S_IFREG else { throw failure(path, "is not a file") }
  }

  private func checkContents(_ folder: Int32, _ path: String, depth: Int) throws(StartFailure) {
    guard depth <= Self.depth else { throw failure(path, "is nested too deeply") }
    guard let names = Self.names(folder) else { throw failure(path, Self.reason(errno)) }
    for name in names {
      let place = "\(path)/\(String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self))"
      var status = stat()
      guard fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
        if errno == ENOENT { continue }
        throw failure(place, Self.reason(errno))
      }
      try check(status, place)
      guard status.st_mode & S_IFMT == S_IFDIR else { continue }
      let inner = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
      guard inner >= 0 else {
        // A folder of root that this user cannot read either, such as `lost+found`.
        if errno == EACCES, status.st_uid == 0 { continue }
        throw failure(place, Self.reason(errno))
      }
      defer { close(inner) }
      try checkContents(inner, place, depth: depth + 1)
    }
  }

  private func check(_ status: stat, _ path: String) throws(StartFailure) {
    let kind = status.st_mode & S_IFMT
    guard kind != S_IFLNK else { throw failure(path, "is a symbolic link") }
    guard kind == S_IFREG || kind == S_IFDIR else { throw failure(path, "is neither a file nor a folder") }
    guard status.st_uid == user || status.st_uid == 0 else {
      throw failure(path, "belongs to another user (uid \(status.st_uid))")
    }
    guard status.st_mode & 0o077 == 0 else {
      let mode = String(status.st_mode & 0o777, radix: 8)
      throw failure(path, "is open to other users (mode \(mode)); chmod \(kind == S_IFDIR ? "700" : "600") it")
    }
  }

  /// Rejects a folder that any user could rename and replace while it is in use.
  private func checkParents(of path: String) throws(StartFailure) {
    guard let found = realpath(path, nil) else { throw failure(path, Self.reason(errno)) }
    defer { free(found) }
    var parent = String(cString: found)
    while let slash = parent.lastIndex(of: "/") {
      parent = String(parent[..<slash])
      var status = stat()
      guard lstat(parent.isEmpty ? "/" : parent, &status) == 0 else { continue }
      guard status.st_mode & S_IWOTH == 0 || status.st_mode & S_ISVTX != 0 else {
        throw failure(
          path, "lies in \(parent.printable(replacement: "?")), in which any user can rename it; chmod o-w that folder")
      }
    }
  }

  /// The names in an open folder, each terminated by 0; nil, with `errno`, if it cannot be read.
  private static func names(_ folder: Int32) -> [[CChar]]? {
    let listing = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard listing >= 0 else { return nil }
    guard let stream = fdopendir(listing) else {
      close(listing)
      return nil
    }
    defer { closedir(stream) }
    var names: [[CChar]] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
      if name != Array(".".utf8), name != Array("..".utf8) { names.append(name.map { CChar(bitPattern: $0) } + [0]) }
    }
    return names
  }

  private func failure(_ path: String, _ fault: String) -> StartFailure {
    .inputMissing("\(flag): \(path.printable(replacement: "?")) \(fault)")
  }

  private static func reason(_ code: Int32) -> String { "cannot be used: \(String(cString: strerror(code)))" }
}
