import Testing

/// Attacks on the running program, `understudy backend`, over TLS; `Documentation/backend-attacks.md` lists them by their numbers.
///
/// One process serves them in turn, since they change its clock and limits; those that need a restart start their own.
@Suite(.serialized, .backendUnderAttack, .timeLimit(.minutes(5))) struct BackendAttackTests {
  /// The shared backend, with no limits.
  static func target() async throws -> BackendTarget {
    let target = try #require(BackendTarget.shared)
    try await target.limits("off")
    return target
  }
}
