/// The outgoing wire: one request in, one whole response out. A value, so that a test can script it.
package struct Transport: Sendable {
  /// Sends one attempt and returns the whole response, whatever its status; redirects are answers like any other.
  /// Throws `TransportError`; a cancelled task gets `.cancelled` at once, in every phase.
  package var send: @Sendable (TransportRequest) async throws(TransportError) -> TransportResponse

  /// A transport that answers with `send`.
  package init(send: @escaping @Sendable (TransportRequest) async throws(TransportError) -> TransportResponse) {
    self.send = send
  }
}
