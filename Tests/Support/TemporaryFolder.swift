import Foundation

/// A folder that exists for one test.
package final class TemporaryFolder: Sendable {
  /// Its path.
  package let path: String

  /// Creates an empty folder that only this user can enter.
  package init() throws {
    path = FileManager.default.temporaryDirectory.appendingPathComponent("understudy-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The path of a file in the folder.
  package func file(_ name: String) -> String { "\(path)/\(name)" }

  /// Writes text into a file of the folder, readable only for this user, and returns its path.
  @discardableResult
  package func write(_ text: String, to name: String) throws -> String {
    let path = file(name)
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    return path
  }
}
