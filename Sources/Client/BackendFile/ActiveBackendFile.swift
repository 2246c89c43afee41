package import BackendFile
package import Domain
import Locking

/// The backend file that the clients of a process follow; `--watch` replaces it while they run.
package final class ActiveBackendFile: Sendable {
  /// A file, and the user's secrets by name.
  package struct Content: Hashable, Sendable {
    package let definition: BackendDefinition
    package let secrets: [String: String]
    /// The backend's user actions and sign-in fields, for the pages.
    package let offer: BackendOffer
    /// The paths of the calls that only the session may make.
    let sessionPaths: SessionPaths
    /// The names of the values that requests use.
    let usedValues: Set<String>
    /// The hosts that receive requests, except the backend's.
    let hosts: Set<String>

    package init(definition: BackendDefinition, secrets: [String: String]) {
      self.definition = definition
      self.secrets = secrets
      offer = definition.offer
      sessionPaths = SessionPaths(definition)
      usedValues = definition.usedValues
      hosts = Set(definition.hosts.map(\.origin.authority))
    }
  }

  private let state: Locked<(content: Content, problem: String?)>

  package init(_ content: Content) { state = Locked((content, nil)) }

  package var content: Content { state.withLock { $0.content } }

  /// Why the current file on disk is invalid, if an earlier state is in use; nil if it is valid.
  package var problem: String? { state.withLock { $0.problem } }

  /// Replaces the file with its current state.
  package func replace(with content: Content) { state.withLock { $0 = (content, nil) } }

  /// Keeps the earlier file, because the one on disk cannot be used.
  package func keep(because problem: String) { state.withLock { $0.problem = problem } }
}
