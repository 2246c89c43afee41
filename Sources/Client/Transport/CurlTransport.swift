import CCurl

/// A transport on libcurl: HTTP/1.1 or HTTP/2 over TLS 1.2 or later, with pooled connections, on its own thread.
///
/// An instance has one policy of trust and pins; `RotatingTransport` changes it.
package final class CurlTransport: Sendable {
  private let loop: CurlLoop

  /// Starts the thread. Throws `.tls` if libcurl was not built with OpenSSL, which verifies the pins.
  ///
  /// `onPinReport` is called on that thread with the pins of a chain without a pinned key, leaf first, if pins only report;
  /// `onCertificate` with the certificate of each server that a connection is made to, before it is trusted.
  package init(
    _ configuration: TransportConfiguration = TransportConfiguration(),
    onPinReport: @escaping @Sendable (_ presented: [String]) -> Void = { _ in },
    onCertificate: (@Sendable (ServedCertificate) -> Void)? = nil
  ) throws(TransportError) {
    loop = try CurlLoop(configuration: configuration, onPinReport: onPinReport, onCertificate: onCertificate)
  }

  deinit { loop.stop(finishing: true, then: nil) }

  /// The transport as a value for the client chain; keeps this instance alive.
  package var transport: Transport {
    Transport { request async throws(TransportError) in try await self.send(request) }
  }

  /// Sends one attempt; see `Transport.send`.
  package func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
    let ticket = TransferTicket(request: try PreparedRequest(request), deadline: request.deadline)
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        if ticket.wait(with: continuation) { loop.start(ticket) }
      }
    } onCancel: {
      // The caller continues at once; libcurl closes the connection later, on its own thread.
      ticket.finish(.failure(.cancelled))
      loop.cancel(ticket)
    }
    return try result.get()
  }

  /// Rejects new attempts and fails those in progress with `.cancelled` or, if `finishing`, lets them end; returns once every
  /// connection is closed and the thread has ended. May be called more than once.
  package func shutdown(finishing: Bool = false) async {
    await withCheckedContinuation { continuation in
      loop.stop(finishing: finishing) { continuation.resume() }
    }
  }
}
