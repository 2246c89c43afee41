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
  /// What the backend's answers lack.
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
