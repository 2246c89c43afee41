/// Ends the session on this device (seed 002 §2.3).
package struct Logout: Sendable {
  private let gateway: AuthGateway
  private let analytics: Analytics

  /// Makes the use case of its ports.
  package init(gateway: AuthGateway, analytics: Analytics) {
    self.gateway = gateway
    self.analytics = analytics
  }

  /// Ends the session and reports `auth.logout` under the choice of whoever was signed in.
  package func callAsFunction(reason: LogoutReason) async {
    // Asked before: afterwards nobody knows whose choice it was.
    let isAllowed = await analytics.isAllowed()
    await gateway.logout(reason)
    if isAllowed { analytics.record(.logout(reason: reason)) }
  }

  /// Ends the session because the user wants it; throws `CueError.unsyncedEdits`, with the session as it was, where moves of cues
  /// would be lost and the user did not give them up (contract §2.3).
  package func callAsFunction(unlessUnsent cues: CueGateway, discardsEdits: Bool) async throws(CueError) {
    try await cues.endSession(discardsEdits) { await self(reason: .user) }
  }
}
