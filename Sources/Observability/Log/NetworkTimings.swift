/// How long the phases of an attempt took, in milliseconds; nil for a phase that did not take place.
package struct NetworkTimings: Codable, Equatable, Sendable {
  /// Waiting for the transport.
  package var queue: Double?
  /// Name resolution.
  package var dns: Double?
  /// The TCP connection, TLS not included.
  package var connect: Double?
  /// The TLS handshake.
  package var tls: Double?
  /// From the request's first byte to its last.
  package var send: Double?
  /// From the request's last byte to the answer's first.
  package var wait: Double?
  /// From the answer's first byte to its last.
  package var receive: Double?
  /// The whole attempt.
  package var total: Double?

  /// The phases that are known.
  package init(
    queue: Double? = nil, dns: Double? = nil, connect: Double? = nil, tls: Double? = nil, send: Double? = nil,
    wait: Double? = nil, receive: Double? = nil, total: Double? = nil
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

  private enum CodingKeys: String, CodingKey {
    case queue = "queue_ms"
    case dns = "dns_ms"
    case connect = "connect_ms"
    case tls = "tls_ms"
    case send = "send_ms"
    case wait = "wait_ms"
    case receive = "receive_ms"
    case total = "total_ms"
  }

  /// What came before the wait for the answer, to the hundredth of a millisecond; nil where none of it is known.
  var setup: Double? {
    let phases = [queue, dns, connect, tls, send].compactMap(\.self)
    return phases.isEmpty ? nil : (phases.reduce(0, +) * 100).rounded() / 100
  }

  /// The phases to the hundredth of a millisecond; those that are no finite number of at least 0 are left out.
  var rounded: NetworkTimings {
    func rounded(_ value: Double?) -> Double? {
      value.flatMap { $0.isFinite && $0 >= 0 ? ($0 * 100).rounded() / 100 : nil }
    }
    return NetworkTimings(
      queue: rounded(queue), dns: rounded(dns), connect: rounded(connect), tls: rounded(tls), send: rounded(send),
      wait: rounded(wait), receive: rounded(receive), total: rounded(total))
  }
}
