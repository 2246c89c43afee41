import FoundationEssentials
import HTTPTypes
import Reactor
import Locking
import Vault
import Wire

/// The other end of the measures: a TLS server that answers from memory, or takes a request and drops the connection.
final class Peer: Sendable {
  /// What happens after a request has been taken.
  enum Reply: Sendable {
    /// A whole response as it goes on the wire.
    case answer([UInt8])
    /// The connection ends without a byte.
    case drop
  }

  /// Scheme, host and port.
  let origin: String
  /// The certificate, which is its own trust anchor.
  let certificatePEM: String
  /// The pin of its key.
  let pin: String
  private let group: EventLoopGroup
  private let listener: Listener

  /// Listens on a free loopback port; `respond` runs on the loop's thread. Throws what keeps it from listening.
  init(respond: @escaping @Sendable (RequestHead, [UInt8]) -> Reply) throws {
    let certificate = try ServerCertificate.selfSigned(
      commonName: "bench", names: ["localhost"], addresses: ["127.0.0.1"], days: 1)
    group = try EventLoopGroup.start(count: 1)
    var options = Listener.Options()
    options.tls = try TLSContext(certificatePEM: certificate.certificatePEM, privateKeyPEM: certificate.privateKeyPEM)
    guard let address = SocketAddress(host: "127.0.0.1", port: 0) else { throw BenchError("no loopback") }
    listener = try Listener.bind(address, on: group, options: options) { stream, _, _ in
      await Self.serve(stream, respond)
    }
    origin = "https://\(listener.localAddress.text)"
    certificatePEM = certificate.certificatePEM
    pin = try certificate.pin
  }

  /// Stops listening and ends the loop.
  func stop() async {
    await listener.close()
    await group.stop()
  }

  /// A `200` with a JSON body, or another status.
  static func json(_ body: [UInt8], status: String = "200 OK") -> [UInt8] {
    let head = "HTTP/1.1 \(status)\r\nContent-Type: application/json\r\nContent-Length: \(body.count)\r\n\r\n"
    return Array(head.utf8) + body
  }

  private static func serve(_ stream: any ByteStream, _ respond: @Sendable (RequestHead, [UInt8]) -> Reply) async {
    var parser = RequestParser()
    var buffer: [UInt8] = []
    var position = 0
    var head: RequestHead?
    var body: [UInt8] = []
    while true {
      guard let event = try? parser.next(in: buffer, at: &position) else { return }
      switch event {
      case .needMore:
        buffer.removeFirst(position)
        position = 0
        guard let count = try? await stream.read(into: &buffer, atMost: 65_536, deadline: nil), count > 0 else { return }
      case .head(let next): head = next
      case .body(let range): body += buffer[range]
      case .end:
        guard let taken = head, case .answer(let bytes) = respond(taken, body) else { return }
        guard (try? await stream.write(bytes, deadline: nil)) != nil else { return }
        (head, body) = (nil, [])
      }
    }
  }
}

/// Why a measure could not be made.
struct BenchError: Error, CustomStringConvertible {
  let description: String
  /// Makes an error of its sentence.
  init(_ description: String) { self.description = description }
}
