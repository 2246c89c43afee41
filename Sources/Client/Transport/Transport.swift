/// Sends HTTP requests: one request in, one complete response out. A value, so that a test can script it.
package struct Transport: Sendable {
  /// Sends one attempt and returns the complete response, whatever its status; redirects are not followed. A cancelled task
  /// gets `.cancelled` at once, in every phase.
  package var send: @Sendable (TransportRequest) async throws(TransportError) -> TransportResponse

  /// Creates a transport from a function.
  package init(send: @escaping @Sendable (TransportRequest) async throws(TransportError) -> TransportResponse) {
    self.send = send
  }
}
