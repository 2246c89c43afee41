import JSON
import Locking
package import Logging

/// The client's loggers, one for each category (seed-rules N-90 "Log categories"), which label and metadata `category` name.
///
/// Messages contain the client's own words, names and numbers only: no token, identifier, body or header.
package struct ClientLoggers: Sendable {
  /// Attempts and connectivity.
  package let network: Logger
  /// Tokens, refreshes and the end of sessions.
  package let session: Logger
  /// Signing in and out.
  package let auth: Logger
  /// The notes on fields that the backend's responses lack.
  let fields: FieldNotes

  /// Creates the loggers with the handler of `base`.
  package init(base: Logger) {
    func logger(_ category: String) -> Logger {
      var logger = Logger(label: "\(base.label).\(category)") { _ in base.handler }
      logger[metadataKey: "category"] = "\(category)"
      return logger
    }
    network = logger("network")
    session = logger("session")
    auth = logger("auth")
    fields = FieldNotes(logger: network)
  }
}

/// Logs the fields that the backend's responses omit, write in another form or add, each once for the life of the client
/// (seed-rules A-35 "Missing fields are logged").
///
/// The log contains only names of fields and kinds of values, never a value.
final class FieldNotes: Sendable {
  private let logger: Logger
  private let told = Locked<Set<String>>([])

  init(logger: Logger) { self.logger = logger }

  /// Logs the new ones of these notes on an endpoint's response.
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

  /// Logs the captures of a backend file that found no value in a response, if they are new.
  func record(missing captures: [String], endpoint: String) {
    for capture in captures where told.withLock({ $0.insert("\(endpoint) \(capture)").inserted }) {
      logger.notice(
        "an answer lacks what the backend file captures", metadata: ["endpoint": "\(endpoint)", "field": "\(capture)"])
    }
  }

  /// The path with `*` for every index, so that all elements of a list share a name.
  private static func field(_ path: String) -> String {
    path.split(separator: ".").map { $0.allSatisfy(\.isNumber) ? "*" : $0 }.joined(separator: ".")
  }
}
