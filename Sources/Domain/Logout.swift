/// Ends the session on this device (seed-rules A-25 to A-27 "Logout").
package struct Logout: Sendable {
  private let gateway: AuthGateway
  private let analytics: Analytics

  package init(gateway: AuthGateway, analytics: Analytics) {
    self.gateway = gateway
    self.analytics = analytics
  }

  /// Ends the session and reports `auth.logout` if the user had allowed analytics.
  package func callAsFunction(reason: LogoutReason) async {
    // After the logout, nobody is signed in whose choice could be read.
    let isAllowed = await analytics.isAllowed()
    await gateway.logout(reason)
    if isAllowed { analytics.record(.logout(reason: reason)) }
  }

  /// Ends the session at the user's request, for `POST /api/logout`.
  ///
  /// Throws `CueError.unsyncedEdits` and keeps the session if unsent edits would be lost, unless `discardsEdits` is true.
  package func callAsFunction(unlessUnsent cues: CueGateway, discardsEdits: Bool) async throws(CueError) {
    try await cues.endSession(discardsEdits) { await self(reason: .user) }
  }
}
