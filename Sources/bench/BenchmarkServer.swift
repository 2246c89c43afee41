import FoundationEssentials
import Reactor
import Vault
import Wire

/// A TLS server that responds from memory or drops the connection after a request.
final class BenchmarkServer: Sendable {
  /// The server's action after it has received a request.
  enum Action: Sendable {
    /// Sends a complete response.
    case respond([UInt8])
    /// Closes the connection without a response.
    case drop
  }

  /// The scheme, host and port.
  let origin: String
  /// The self-signed certificate.
  let certificatePEM: String
  /// The pin of the certificate's key.
  let pin: String
  private let group: EventLoopGroup
  private let listener: Listener

  /// Listens on a free loopback port; `respond` runs on the thread of the event loop.
  init(respond: @escaping @Sendable (RequestHead, [UInt8]) -> Action) throws {
    let certificate = try ServerCertificate.selfSigned(
      commonName: "bench", names: ["localhost"], addresses: ["127.0.0.1"], days: 1)
    group = try EventLoopGroup.start(count: 1)
    var options = Listener.Options()
    options.tls = try TLSContext(certificatePEM: certificate.certificatePEM, privateKeyPEM: certificate.privateKeyPEM)
    guard let address = SocketAddress(host: "127.0.0.1", port: 0) else { throw MeasureError("no loopback") }
    listener = try Listener.bind(address, on: group, options: options) { stream, _, _ in
      await Self.serve(stream, respond)
    }
    origin = "https://\(listener.localAddress.text)"
    certificatePEM = certificate.certificatePEM
    pin = try certificate.pin
  }

  /// Closes the listener and stops the event loop.
  func stop() async {
    await listener.close()
    await group.stop()
  }

  /// A response with a JSON body.
  static func json(_ body: [UInt8], status: String = "200 OK") -> [UInt8] {
    let head = "HTTP/1.1 \(status)\r\nContent-Type: application/json\r\nContent-Length: \(body.count)\r\n\r\n"
    return Array(head.utf8) + body
  }

  private static func serve(_ stream: any ByteStream, _ respond: @Sendable (RequestHead, [UInt8]) -> Action) async {
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
        guard let taken = head, case .respond(let bytes) = respond(taken, body) else { return }
        guard (try? await stream.write(bytes, deadline: nil)) != nil else { return }
        (head, body) = (nil, [])
      }
    }
  }
}

/// Why a measurement failed.
struct MeasureError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
