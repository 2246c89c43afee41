import Glibc
import Vault

/// How a case's bytes are sent.
enum ConformanceMode: String, CaseIterable, Sendable {
  case plainAtOnce, plainByteByByte, tlsAtOnce, tlsByteByByte

  /// Whether the connection is encrypted.
  var isTLS: Bool { self == .tlsAtOnce || self == .tlsByteByByte }

  /// The bytes of one write; long requests are sent in larger pieces in the middle, to save time.
  private func pieces(_ bytes: [UInt8]) -> [Range<Int>] {
    switch self {
    case .plainAtOnce, .tlsAtOnce: return [0..<bytes.count]
    case .plainByteByByte, .tlsByteByByte:
      var pieces: [Range<Int>] = []
      var start = 0
      while start < bytes.count {
        let size = start > 1000 && start < bytes.count - 2000 ? 997 : 1
        pieces.append(start..<(start + size))
        start += size
      }
      return pieces
    }
  }

  /// Sends the bytes on a new connection and returns everything the server sent until it closed; nil if no connection was made.
  func converse(_ port: UInt16, _ certificate: ServerCertificate, _ bytes: [UInt8], halfClose: Bool) -> [UInt8]? {
    let client = RawClient(port: port)
    var tls: ConformanceTLS?
    if isTLS {
      guard let made = ConformanceTLS(client, trusting: certificate) else { return nil }
      tls = made
    }
    var received: [UInt8] = []
    for piece in pieces(bytes) where !piece.isEmpty {
      // Read first if the server has responded and closed: writing would cause a reset, which discards the response.
      while client.waitReadable(milliseconds: 0) {
        guard let more = tls.map({ $0.receive() }) ?? client.receive() else { return received }
        received += more
      }
      guard tls?.send(bytes[piece]) ?? client.send(Array(bytes[piece])) else { break }
    }
    if halfClose {
      tls?.shutdownWrite()
      client.shutdownWrite()
    }
    while let more = tls.map({ $0.receive() }) ?? client.receive() { received += more }
    return received
  }
}
