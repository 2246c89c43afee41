/// Shuffles the cues, which only the backend can do; the call is not queued while offline (seed-rules N-5 "shuffling them").
package struct ShuffleCues: Sendable {
  private let gateway: CueGateway

  package init(gateway: CueGateway) { self.gateway = gateway }

  /// Returns the cues in their new order, with unsent edits applied.
  package func callAsFunction() async throws(CueError) -> CueList { try await gateway.shuffle() }
}
