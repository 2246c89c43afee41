import Locking

/// A transport whose pins can be changed while it runs.
///
/// A change creates another libcurl handle: connections and TLS sessions made with the old pins finish their requests and are
/// never reused.
package final class RotatingTransport: Sendable {
  private struct State {
    var configuration: TransportConfiguration
    var current: CurlTransport
    /// The number of changes.
    var generation = 0
    /// Transports that are finishing their last requests.
    var retiring: [ObjectIdentifier: CurlTransport] = [:]
    var isShutDown = false
  }

  private let state: Locked<State>
  private let onPinReport: @Sendable ([String]) -> Void

  /// Starts with `configuration`; see `CurlTransport.init`.
  package init(
    _ configuration: TransportConfiguration = TransportConfiguration(),
    onPinReport: @escaping @Sendable (_ presented: [String]) -> Void = { _ in }
  ) throws(TransportError) {
    let transport = try CurlTransport(configuration, onPinReport: onPinReport)
    state = Locked(State(configuration: configuration, current: transport))
    self.onPinReport = onPinReport
  }

  /// The transport as a value for the client chain; keeps this instance alive.
  package var transport: Transport {
    Transport { request async throws(TransportError) in try await self.send(request) }
  }

  /// The pins that new connections are verified with.
  package var pins: Set<SPKIPin> { state.withLock { $0.configuration.pins } }

  /// Verifies all later requests with `pins`; if it throws, as `CurlTransport.init` does, the earlier pins stay.
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
        // A retiring transport rejects requests that it has not started, and its successor takes them.
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
