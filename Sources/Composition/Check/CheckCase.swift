/// One check: a flow, or an edge case of one.
struct CheckCase: Sendable {
  /// Stable over versions, for programs that read reports.
  let id: String
  /// Its group: `backend`, `sign-in`, `account`, `cues` or `session`.
  let group: String
  /// What is true if it passes.
  let title: String
  /// Whether later checks build on it: what it leaves in the context is the configuration or a signed-in device.
  let isGround: Bool
  /// Runs it in a context; throws `CheckStop`, or any error of a use case, which fails it.
  let run: @Sendable (isolated CheckContext) async throws -> Void

  init(
    _ id: String, _ group: String, _ title: String, isGround: Bool = false,
    run: @escaping @Sendable (isolated CheckContext) async throws -> Void
  ) {
    self.id = id
    self.group = group
    self.title = title
    self.isGround = isGround
    self.run = run
  }

  /// The flows in their order; the checks of a flow need each other, and all build on those that are ground.
  static let flows: [[CheckCase]] = separately(backend) + signIn + account + separately(cues) + session

  /// All checks in the order in which they run.
  static let all = Array(flows.joined())

  /// A flow for each of the checks.
  static func separately(_ cases: [CheckCase]) -> [[CheckCase]] { cases.map { [$0] } }
}
