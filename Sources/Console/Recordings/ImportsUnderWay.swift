import Locking
import OpenAPI

/// How far imports are that are under way, by the keys that their senders chose.
package final class ImportsUnderWay: Sendable {
  /// How many archives are kept on the disk at a time.
  private static let limit = 4

  private let imports = Locked<[String: ImportProgress]>([:])

  /// Notes an import under a key; false if it is taken, or if there are too many.
  func begin(_ key: String) -> Bool {
    imports.withLock { imports in
      guard imports.count < Self.limit, imports[key] == nil else { return false }
      imports[key] = ImportProgress()
      return true
    }
  }

  /// Changes what is said of an import.
  func change(_ key: String, _ body: @Sendable (inout ImportProgress) -> Void) {
    imports.withLock { imports in if var progress = imports[key] { body(&progress); imports[key] = progress } }
  }

  /// Removes an import that has ended.
  func end(_ key: String) { imports.withLock { $0[key] = nil } }

  /// How far an import is; nil if there is none with the key.
  func progress(_ key: String) -> ImportProgress? { imports.withLock { $0[key] } }
}

/// How far an import is, as `GET /api/recordings/import` answers it.
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
