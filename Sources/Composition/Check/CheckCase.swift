/// One check: a flow, or an edge case of one.
struct CheckCase: Sendable {
  /// Stable over versions, for programs that read reports.
  let id: String
  /// Its group: `backend`, `sign-in`, `account`, `cues` or `session`.
  let group: String
  /// What is true if it passes.
  let title: String
  /// Runs it in a context; throws `CheckStop`, or any error of a use case, which fails it.
  let run: @Sendable (isolated CheckContext) async throws -> Void

  init(_ id: String, _ group: String, _ title: String, run: @escaping @Sendable (isolated CheckContext) async throws -> Void) {
    self.id = id
    self.group = group
    self.title = title
    self.run = run
  }

  /// All checks in the order in which they run: later ones build on earlier ones.
  static let all: [CheckCase] = backend + signIn + account + cues + session
}
