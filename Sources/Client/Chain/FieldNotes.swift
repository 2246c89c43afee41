import JSON
import Locking
import Logging

/// Logs the fields that the backend's answers leave out, write in another form or add, each once for the life of the client
/// (seed-rules A-35 "Missing fields are logged").
///
/// Only names of fields and kinds of values are logged, never a value.
final class FieldNotes: Sendable {
  private let logger: Logger
  private let told = Locked<Set<String>>([])

  init(logger: Logger) { self.logger = logger }

  /// Logs those notes on an endpoint's answer that are new.
  func record(_ notes: JSONReadNotes, endpoint: String) {
    for note in notes.all {
      let field = Self.field(note.path)
      guard told.withLock({ $0.insert("\(endpoint) \(field) \(note.effect)").inserted }) else { continue }
      let metadata: Logger.Metadata = [
        "endpoint": "\(endpoint)", "field": "\(field)", "expected": "\(note.expected ?? "another value")",
        "found": "\(note.found)",
      ]
      switch note.effect {
      case .defaulted:
        logger.notice(
          "a missing or unreadable field got its default", metadata: metadata.merging(["error": "missingField(\(field))"]) { $1 })
      case .converted: logger.notice("a field was read from another kind of value", metadata: metadata)
      // Backends may add fields at any time.
      case .ignored: logger.info("a field is not read", metadata: metadata)
      }
    }
  }

  /// The path with `*` for every index, so that all elements of a list share a name.
  private static func field(_ path: String) -> String {
    path.split(separator: ".").map { $0.allSatisfy(\.isNumber) ? "*" : $0 }.joined(separator: ".")
  }
}
