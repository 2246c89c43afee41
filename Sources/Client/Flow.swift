import Vault

/// The user action that calls belong to; the network log shows its id and name with every row.
package struct Flow: Hashable, Sendable {
  /// A UUID.
  package let id: String
  /// A short stable name, such as `login` or `account`.
  package let name: String
  /// Whether nobody looks on: while the backend is out of reach its calls wait, where a user's fail at once (seed 004).
  package let isBackground: Bool

  /// Makes a flow with an id of its own.
  package init(name: String, id: String = SecureRandom.uuid(), isBackground: Bool = false) {
    self.id = id
    self.name = name
    self.isBackground = isBackground
  }

  /// The flow of the current task; without one, each call is a flow named after its endpoint.
  @TaskLocal package static var current: Flow?
}
