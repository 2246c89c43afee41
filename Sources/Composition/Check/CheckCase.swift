import BackendFile

/// One check: a flow, or an edge case of one.
struct CheckCase: Sendable {
  /// Stable over versions, for programs that read reports.
  let id: String
  /// Its group: `backend`, `sign-in`, `account`, `cues` or `session`.
  let group: String
  /// The statement that is true if it passes.
  let title: String
  /// Whether later checks depend on it: it leaves the configuration or a signed-in device in the context.
  let isGround: Bool
  /// The calls that a backend file must have for it.
  private let needs: [CallName]
  /// The backends that it applies to.
  let scope: Scope
  /// Runs it in a context; throws `CheckStop`, or any error of a use case, which fails it.
  let run: @Sendable (isolated CheckContext) async throws -> Void

  /// To which backends a check applies.
  enum Scope: Sendable {
    /// All.
    case all
    /// Only the contract's: other backends need not support it.
    case contract
    /// Only those that a backend file describes.
    case file
  }

  init(
    _ id: String, _ group: String, _ title: String, isGround: Bool = false, needs: [CallName] = [], scope: Scope = .all,
    run: @escaping @Sendable (isolated CheckContext) async throws -> Void
  ) {
    self.id = id
    self.group = group
    self.title = title
    self.isGround = isGround
    self.needs = needs
    self.scope = scope
    self.run = run
  }

  /// The flows in their order; the checks of a flow depend on each other, and all depend on the ground checks.
  static let flows: [[CheckCase]] = separately(backend) + signIn + account + separately(cues) + session

  /// All checks in the order in which they run.
  static let all = Array(flows.joined())

  /// Why it does not apply to the backend of a file; nil if it does.
  func reasonToSkip(_ file: BackendDefinition) -> String? {
    if scope == .contract { return "only the contract's own backend promises this" }
    let missing = needs.filter { !file.has($0) }.map(\.rawValue)
    return missing.isEmpty ? nil : "the backend file has no \(missing.joined(separator: " and no "))"
  }

  /// A flow for each of the checks.
  static func separately(_ cases: [CheckCase]) -> [[CheckCase]] { cases.map { [$0] } }
}
