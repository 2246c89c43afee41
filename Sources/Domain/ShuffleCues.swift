/// Puts the cues into another order, which only the backend can do: nothing is kept for later (seed 001).
package struct ShuffleCues: Sendable {
  private let gateway: CueGateway

  /// Makes the use case of its port.
  package init(gateway: CueGateway) { self.gateway = gateway }

  /// The cues in their new order; edits that are not sent yet stay laid over them.
  package func callAsFunction() async throws(CueError) -> CueList { try await gateway.shuffle() }
}
