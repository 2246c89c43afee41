import CCurl

/// A transport on libcurl: HTTP/1.1 or HTTP/2 over TLS 1.2 or later, pooled connections, on one thread of its own.
///
/// One instance is one policy of trust and pins; `RotatingTransport` changes it.
package final class CurlTransport: Sendable {
  private let loop: CurlLoop

  /// Starts the thread. Throws `.tls` where libcurl was not built on OpenSSL, whose chain check the pins need.
  ///
  /// `onPinReport` hears, on that thread, which pins a chain without a wanted key presented, leaf first, where pins only report.
  package init(
    _ configuration: TransportConfiguration = TransportConfiguration(),
    onPinReport: @escaping @Sendable (_ presented: [String]) -> Void = { _ in }
  ) throws(TransportError) {
    loop = try CurlLoop(configuration: configuration, onPinReport: onPinReport)
  }

  deinit { loop.stop(finishing: true, then: nil) }

  /// The transport as the value that the client chain takes; it keeps this instance alive.
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
      // The caller goes first; libcurl lets go of the connection later, on its own thread.
      ticket.finish(.failure(.cancelled))
      loop.cancel(ticket)
    }
    return try result.get()
  }

  /// Refuses new attempts, ends those under way with `.cancelled` or, when `finishing`, lets them end by themselves; returns once
  /// every connection is closed and the thread is gone. May be called more than once.
  package func shutdown(finishing: Bool = false) async {
    await withCheckedContinuation { continuation in
      loop.stop(finishing: finishing) { continuation.resume() }
    }
  }
}
