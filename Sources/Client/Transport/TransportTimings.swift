/// The duration of each phase of an attempt; nil for a phase that did not happen, such as the first three on a reused
/// connection.
package struct TransportTimings: Sendable, Hashable {
  /// Waiting for the transport's thread.
  package var queue: Duration?
  /// Name lookup.
  package var dns: Duration?
  /// TCP connection after the lookup.
  package var connect: Duration?
  /// TLS handshake after the connection.
  package var tls: Duration?
  /// From ready to send until the last byte of the request was handed to the system.
  package var send: Duration?
  /// From then until the first byte of the response.
  package var wait: Duration?
  /// From the first byte of the response to the last.
  package var receive: Duration?
  /// From the start of the attempt to its end, including the wait in the transport's queue.
  package var total: Duration?
  package init(
    queue: Duration? = nil, dns: Duration? = nil, connect: Duration? = nil, tls: Duration? = nil, send: Duration? = nil,
    wait: Duration? = nil, receive: Duration? = nil,
    total: Duration? = nil
  ) {
    self.queue = queue
    self.dns = dns
    self.connect = connect
    self.tls = tls
    self.send = send
    self.wait = wait
    self.receive = receive
    self.total = total
  }
}
