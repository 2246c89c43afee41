/// Returns the stored cues at once and fetches newer ones in the background (seed-rules L-23 "Local data shows first", L-24 "in
/// the background").
package struct BrowseCues: Sendable {
  private let gateway: CueGateway

  package init(gateway: CueGateway) { self.gateway = gateway }

  /// Returns the stored list, if there is one, and starts a fetch in the background.
  ///
  /// A device without a stored list waits for the backend and throws if it cannot reach it.
  package func callAsFunction() async throws(CueError) -> CueList {
    guard let stored = try await gateway.local() else { return try await gateway.refresh() }
    await gateway.refreshInBackground()
    return stored
  }
}
