import Vault

/// A user action that groups calls; the network log shows its id and name in every row.
package struct Flow: Hashable, Sendable {
  /// A UUID.
  package let id: String
  /// A short stable name, such as `login` or `account`.
  package let name: String
  /// Whether it runs in the background: its calls wait while the backend is unreachable, whereas a user's calls fail at once
  /// (seed-rules C-11 "waitsForConnectivity").
  package let isBackground: Bool

  package init(name: String, id: String = SecureRandom.uuid(), isBackground: Bool = false) {
    self.id = id
    self.name = name
    self.isBackground = isBackground
  }

  /// The flow of the current task; if nil, each call gets a flow named after its endpoint.
  @TaskLocal package static var current: Flow?
}
