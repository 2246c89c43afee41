package import BackendFile
package import Domain
import Locking

/// The backend file that the clients of a process follow; `--watch` replaces it while they run.
package final class ActiveBackendFile: Sendable {
  /// A file, and the user's secrets by name.
  package struct Content: Hashable, Sendable {
    package let definition: BackendDefinition
    package let secrets: [String: String]
    /// What the pages need to know of it.
    package let offer: BackendOffer
    /// The paths of the calls that only the session may make.
    let sessionPaths: SessionPaths
    /// The names of the values that requests use.
    let usedValues: Set<String>
    /// The hosts besides the backend's that requests go to.
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

  /// What is wrong with the file as it is now on disk, in which case an earlier one is in use; nil if nothing is.
  package var problem: String? { state.withLock { $0.problem } }

  /// Takes the file as it is now.
  package func replace(with content: Content) { state.withLock { $0 = (content, nil) } }

  /// Keeps the earlier file, because the one on disk cannot be used.
  package func keep(because problem: String) { state.withLock { $0.problem = problem } }
}
