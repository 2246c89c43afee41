import Foundation

/// A file with a secret on its one line, which nobody else may be able to read.
enum SecretFile {
  /// More than any secret has.
  private static let limit = 65_536

  /// The secret without the white space around it, or nil for no path.
  ///
  /// Throws `StartFailure`: 66 for a file that cannot be read, is empty or no text; 78 if it belongs to somebody else than this user or
  /// root, or if its group or others may do anything with it.
  static func read(_ path: String?, flag: String) throws(StartFailure) -> String? {
    guard let path else { return nil }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .inputMissing("\(flag): \(path) cannot be read") }
    defer { close(descriptor) }
    // Of what is open, so that nobody puts another file in its place between the look and the reading.
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
    let secret = text.trimmingCharacters(in: .whitespacesAndNewlines)
    guard !secret.isEmpty else { throw .inputMissing("\(flag): \(path) is empty") }
    return secret
  }

  /// The permissions that a file must not have: systemd shows the access list of a credential as its group's (systemd.exec(5)).
  private static func mask(_ path: String, _ status: stat) -> mode_t {
    guard status.st_uid == 0, let folder = ProcessInfo.processInfo.environment["CREDENTIALS_DIRECTORY"], folder.hasPrefix("/"),
      path.hasPrefix(folder + "/")
    else { return 0o077 }
    return 0o037
  }
}
