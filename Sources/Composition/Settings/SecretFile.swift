import Foundation
import Text

/// Reads files with a secret that other users cannot read.
enum SecretFile {
  /// The largest file, in bytes.
  private static let limit = 65_536

  /// The secret without surrounding white space; nil without a path.
  ///
  /// Throws `StartFailure`: 66 for a file that is unreadable, empty or not text; 78 if it belongs to another user than this one
  /// or root, or if group or others have any permission.
  static func read(_ path: String?, flag: String) throws(StartFailure) -> String? {
    guard let path else { return nil }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .inputMissing("\(flag): \(path) cannot be read") }
    defer { close(descriptor) }
    // Checks the open file, so that no process can replace it between check and read.
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else {
      throw .inputMissing("\(flag): \(path) cannot be read")
    }
    guard status.st_uid == geteuid() || status.st_uid == 0 else {
      throw .configuration("\(flag): \(path) belongs to another user")
    }
    guard status.st_mode & mask(path, status) == 0 else {
      throw .configuration("\(flag): others can read or change \(path); chmod 600 it")
    }
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
    guard let data = try? file.read(upToCount: limit + 1) ?? Data(), data.count <= limit else {
      throw .inputMissing("\(flag): \(path) cannot be read")
    }
    guard let text = String(data: data, encoding: .utf8) else { throw .inputMissing("\(flag): \(path) is not text") }
    let secret = text.trimmingWhitespace
    guard !secret.isEmpty else { throw .inputMissing("\(flag): \(path) is empty") }
    return secret
  }

  /// The permissions that a file must not have: systemd shows a credential's access list as its group permissions
  /// (systemd.exec(5)).
  private static func mask(_ path: String, _ status: stat) -> mode_t {
    guard status.st_uid == 0, let folder = ProcessInfo.processInfo.environment["CREDENTIALS_DIRECTORY"], folder.hasPrefix("/"),
      path.hasPrefix(folder + "/")
    else { return 0o077 }
    return 0o037
  }
}
