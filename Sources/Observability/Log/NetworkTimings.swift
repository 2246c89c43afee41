/// The durations of an attempt's phases in milliseconds; nil if a phase did not take place.
package struct NetworkTimings: Codable, Hashable, Sendable {
  /// Waiting for the transport.
  package var queue: Double?
  /// Name resolution.
  package var dns: Double?
  /// The TCP connection, without TLS.
  package var connect: Double?
  /// The TLS handshake.
  package var tls: Double?
  /// From the first byte of the request to the last.
  package var send: Double?
  /// From the last byte of the request to the first byte of the response.
  package var wait: Double?
  /// From the first byte of the response to the last.
  package var receive: Double?
  /// The whole attempt.
  package var total: Double?

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

  /// The time before the wait for the response, rounded to 0.01 ms; nil if none of it is known.
  var setup: Double? {
    let phases = [queue, dns, connect, tls, send].compactMap(\.self)
    return phases.isEmpty ? nil : (phases.reduce(0, +) * 100).rounded() / 100
  }

  /// The durations rounded to 0.01 ms; those that are negative or not finite are omitted.
  var rounded: NetworkTimings {
    func rounded(_ value: Double?) -> Double? {
      value.flatMap { $0.isFinite && $0 >= 0 ? ($0 * 100).rounded() / 100 : nil }
    }
    return NetworkTimings(
      queue: rounded(queue), dns: rounded(dns), connect: rounded(connect), tls: rounded(tls), send: rounded(send),
      wait: rounded(wait), receive: rounded(receive), total: rounded(total))
  }
}
