import Foundation

/// The folder in which a console keeps its data, held by one process at a time.
///
/// A class for its lifetime alone: the lock goes when it does, and also when the process is killed.
package final class DataFolder: Sendable {
  /// Where it lies.
  package let path: String
  private let lock: Int32

  /// Makes the folder where it is not there, for this user alone, and takes its lock.
  ///
  /// Throws `StartFailure`: 69 where another process holds it, 66 where it cannot be used.
  package init(path: String) throws(StartFailure) {
    self.path = path
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw .inputMissing("--data: \(path) cannot be made")
    }
    let descriptor = open("\(path)/lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw .inputMissing("--data: \(path) cannot be written: \(String(cString: strerror(errno)))") }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      close(descriptor)
      throw .unavailable("--data: \(path) is in use by another process")
    }
    lock = descriptor
  }

  deinit { close(lock) }

  /// The path of something in it.
  func file(_ name: String) -> String { "\(path)/\(name)" }

  /// The path of a folder in it, made where it is not there.
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
