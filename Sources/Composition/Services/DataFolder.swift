import Foundation
import Locking

/// The folder with a program's data, owned by one user and locked by one process at a time.
///
/// A class because of its lifetime: the locks are released with it, or when the process is killed. Its databases keep it alive,
/// because closing any descriptor of a file releases SQLite's locks on the file.
package final class DataFolder: Sendable {
  /// Its path.
  package let path: String
  private let locks: Locked<[Int32]>

  /// Creates the folder for this user only if it is missing, checks its contents, and locks it.
  ///
  /// Throws `StartFailure`: 69 if another process has locked it; 66 if it is unusable, or if another user could have changed
  /// it.
  package init(path: String) throws(StartFailure) {
    // With a trailing slash, a link would be followed.
    var path = path
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    self.path = path
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      // The inspection below reports a path that is not a folder.
      var status = stat()
      guard lstat(path, &status) == 0 else { throw .inputMissing("--data: \(path) cannot be created") }
    }
    let inspection = FolderInspection(flag: "--data")
    try inspection.check(path)
    locks = Locked([try Self.lock("\(path)/lock", of: path)])
  }

  deinit { for descriptor in locks.withLock({ $0 }) { close(descriptor) } }

  /// Locks a database file of the folder, creating it if it is missing; throws like the initializer.
  ///
  /// This lock decides which process uses the data, because a user may have deleted the file `lock`. It does not interfere with
  /// SQLite's own locks.
  func lockDatabase(_ name: String) throws(StartFailure) {
    let descriptor = try Self.lock(file(name), of: path)
    locks.withLock { $0.append(descriptor) }
  }

  private static func lock(_ file: String, of path: String) throws(StartFailure) -> Int32 {
    let descriptor = open(file, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
    guard descriptor >= 0 else { throw .inputMissing("--data: \(path) cannot be written: \(String(cString: strerror(errno)))") }
    do throws(StartFailure) {
      try FolderInspection(flag: "--data").check(file: descriptor, file)
      guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
        throw .unavailable("--data: \(path) is in use by another process")
      }
    } catch {
      close(descriptor)
      throw error
    }
    return descriptor
  }

  /// The path of a file in it.
  func file(_ name: String) -> String { "\(path)/\(name)" }

  /// The path of a subfolder, created if it is missing.
  func folder(_ name: String) throws(StartFailure) -> String {
    do {
      try FileManager.default.createDirectory(
        atPath: file(name), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw .inputMissing("--data: \(file(name)) cannot be created")
    }
    return file(name)
  }
}
