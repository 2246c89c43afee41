/// One thing that is checked: a flow, or an edge of one.
struct CheckCase: Sendable {
  /// Stable over versions, for whoever reads reports by program.
  let id: String
  /// What it is about: `backend`, `sign-in`, `account`, `cues` or `session`.
  let group: String
  /// What is true where it passes.
  let title: String
  /// Tries it on the context; throws `CheckStop`, or whatever a use case throws, which fails it.
  let run: @Sendable (isolated CheckContext) async throws -> Void

  /// Names a check.
  init(_ id: String, _ group: String, _ title: String, run: @escaping @Sendable (isolated CheckContext) async throws -> Void) {
    self.id = id
    self.group = group
    self.title = title
    self.run = run
  }

  /// Every check, in the order in which they are made: later ones use what earlier ones have brought about.
  static let all: [CheckCase] = backend + signIn + account + cues + session
}
