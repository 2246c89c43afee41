package import Logging

/// The client's loggers, one a category of the seed (000 §7): their label and the metadata `category` say which.
///
/// What they are given is words, names and numbers of the client's own: no token, identifier, body or header.
package struct ClientLoggers: Sendable {
  /// Attempts and the way to the backend.
  package let network: Logger
  /// Tokens, refreshes and the end of sessions.
  package let session: Logger
  /// Signing in and out.
  package let auth: Logger

  /// Makes the loggers on the handler of `base`.
  package init(base: Logger) {
    func logger(_ category: String) -> Logger {
      var logger = Logger(label: "\(base.label).\(category)") { _ in base.handler }
      logger[metadataKey: "category"] = "\(category)"
      return logger
    }
    network = logger("network")
    session = logger("session")
    auth = logger("auth")
  }
}
