import Locking
import OpenAPI

/// The progress of running imports, by the keys that their senders chose.
package final class ImportsUnderWay: Sendable {
  /// How many archives are kept on the disk at a time.
  private static let limit = 4

  private let imports = Locked<[String: ImportProgress]>([:])

  /// Registers an import under a key; false if the key is taken, or if there are too many imports.
  func begin(_ key: String) -> Bool {
    imports.withLock { imports in
      guard imports.count < Self.limit, imports[key] == nil else { return false }
      imports[key] = ImportProgress()
      return true
    }
  }

  /// Changes an import's progress.
  func change(_ key: String, _ body: @Sendable (inout ImportProgress) -> Void) {
    imports.withLock { imports in if var progress = imports[key] { body(&progress); imports[key] = progress } }
  }

  /// Removes an import that has ended.
  func end(_ key: String) { imports.withLock { $0[key] = nil } }

  /// An import's progress; nil if there is none with the key.
  func progress(_ key: String) -> ImportProgress? { imports.withLock { $0[key] } }
}

/// An import's progress, as `GET /api/recordings/import` returns it.
struct ImportProgress: Codable, Hashable, Sendable, SchemaProvider {
  /// How many bytes of the unpacked rows were read.
  var read = 0
  /// How many there are; 0 until the archive has arrived.
  var size = 0
  /// How many rows were made of them.
  var rows = 0

  static var schema: Schema {
    .recorded(from: Self.self).refined(["read": .minimum(0), "size": .minimum(0), "rows": .minimum(0)]).named("ImportProgress")
  }
}
