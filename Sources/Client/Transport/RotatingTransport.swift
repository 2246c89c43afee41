import Locking

/// A transport whose pins can be changed while it runs (reference case 23).
///
/// A change is another libcurl handle: connections and TLS sessions that were made under the old pins finish what was begun on
/// them and are never used again.
package final class RotatingTransport: Sendable {
  private struct State {
    var configuration: TransportConfiguration
    var current: CurlTransport
    /// Counts the changes.
    var generation = 0
    /// Those whose last requests are under way.
    var retiring: [ObjectIdentifier: CurlTransport] = [:]
    var isShutDown = false
  }

  private let state: Locked<State>
  private let onPinReport: @Sendable ([String]) -> Void

  /// Starts under `configuration`; see `CurlTransport.init`.
  package init(
    _ configuration: TransportConfiguration = TransportConfiguration(),
    onPinReport: @escaping @Sendable (_ presented: [String]) -> Void = { _ in }
  ) throws(TransportError) {
    let transport = try CurlTransport(configuration, onPinReport: onPinReport)
    state = Locked(State(configuration: configuration, current: transport))
    self.onPinReport = onPinReport
  }

  /// The transport as the value that the client chain takes; it keeps this instance alive.
  package var transport: Transport {
    Transport { request async throws(TransportError) in try await self.send(request) }
  }

  /// The pins that new connections are held to.
  package var pins: Set<SPKIPin> { state.withLock { $0.configuration.pins } }

  /// Holds every later request to `pins`; throws as `CurlTransport.init`, and the pins before stay.
  package func rotate(to pins: Set<SPKIPin>) throws(TransportError) {
    var configuration = state.withLock { $0.configuration }
    guard configuration.pins != pins else { return }
    configuration.pins = pins
    let next = try CurlTransport(configuration, onPinReport: onPinReport)
    let old = state.withLock { state -> CurlTransport in
      let old = state.current
      guard !state.isShutDown else { return next }
      state.retiring[ObjectIdentifier(old)] = old
      state.configuration = configuration
      state.current = next
      state.generation += 1
      return old
    }
    Task.detached {
      await old.shutdown(finishing: true)
      self.state.withLock { _ = $0.retiring.removeValue(forKey: ObjectIdentifier(old)) }
    }
  }

  /// Sends one attempt; see `Transport.send`.
  package func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
    while true {
      let (current, generation) = state.withLock { ($0.current, $0.generation) }
      do throws(TransportError) {
        return try await current.send(request)
      } catch {
        // A retiring transport refuses what it has not begun, and that goes to its successor.
        let isReplaced = state.withLock { !$0.isShutDown && $0.generation != generation }
        guard error == .cancelled, !Task.isCancelled, isReplaced else { throw error }
      }
    }
  }

  /// Ends every transport; see `CurlTransport.shutdown`.
  package func shutdown(finishing: Bool = false) async {
    let all = state.withLock { state in
      state.isShutDown = true
      return [state.current] + state.retiring.values
    }
    for transport in all { await transport.shutdown(finishing: finishing) }
  }
}
