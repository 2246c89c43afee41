/// Ends the session, unless that would lose what the user did offline (contract §2.3).
package struct Logout: Sendable {
  private let auth: AuthGateway
  private let cues: CueGateway

  /// Makes the use case of its ports.
  package init(auth: AuthGateway, cues: CueGateway) {
    self.auth = auth
    self.cues = cues
  }

  /// Signs out; throws `CueError.unsyncedEdits`, with the session as it was, unless the user gave the edits up.
  package func callAsFunction(discardsEdits: Bool) async throws(CueError) {
    try await cues.endSession(discardsEdits) { [auth] in await auth.logout(.user) }
  }
}
