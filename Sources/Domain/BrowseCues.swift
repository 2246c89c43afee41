/// Shows the cues at once from what is kept, and sees to news behind that (seed 001, offline first).
package struct BrowseCues: Sendable {
  private let gateway: CueGateway

  /// Makes the use case of its port.
  package init(gateway: CueGateway) { self.gateway = gateway }

  /// The kept list, where there is one, with a fetch in the background.
  ///
  /// Only a device that has never heard the backend waits for it, and fails where it cannot be reached.
  package func callAsFunction() async throws(CueError) -> CueList {
    guard let kept = try await gateway.local() else { return try await gateway.refresh() }
    await gateway.refreshInBackground()
    return kept
  }
}
