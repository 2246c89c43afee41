import Foundation
import Locking

/// The folder in which a program keeps its data: of one user, and held by one process at a time.
///
/// A class for its lifetime alone: the locks go when it does, and also when the process is killed. It must outlive the databases that it
/// holds, as closing any descriptor of a file gives up the locks that SQLite has on it; so they keep it.
package final class DataFolder: Sendable {
  /// Where it lies.
  package let path: String
  private let locks: Locked<[Int32]>

  /// Makes the folder for this user alone if it is missing, checks what is in it, and takes its lock.
  ///
  /// Throws `StartFailure`: 69 if another process holds it; 66 if it cannot be used, or if another user could have changed it.
  package init(path: String) throws(StartFailure) {
    // With a slash at the end, a link would be followed.
    var path = path
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    self.path = path
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      // What is there and is no folder is told of below.
      var status = stat()
      guard lstat(path, &status) == 0 else { throw .inputMissing("--data: \(path) cannot be made") }
    }
    let inspection = FolderInspection(flag: "--data")
    try inspection.check(path)
    locks = Locked([try Self.lock("\(path)/lock", of: path)])
  }

  deinit { for descriptor in locks.withLock({ $0 }) { close(descriptor) } }

  /// Takes the lock of a database file of the folder, which is made, empty, if it is missing; throws as the initializer does.
  ///
  /// This lock decides who uses the data: `lock` may have been removed by hand. It is no lock of SQLite's and does not meet those.
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

  /// The path of something in it.
  func file(_ name: String) -> String { "\(path)/\(name)" }

  /// The path of a folder in it, made if it is missing.
  func folder(_ name: String) throws(StartFailure) -> String {
    do {
      try FileManager.default.createDirectory(
        atPath: file(name), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw .inputMissing("--data: \(file(name)) cannot be made")
    }
    return file(name)
  }
}
