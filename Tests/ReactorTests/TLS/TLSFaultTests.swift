import CLinux
import COpenSSL
import Glibc
import Reactor
import Testing
import Vault

@Suite(.timeLimit(.minutes(1)))
struct TLSFaultTests {
  private static let plain = Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
  /// The beginning of a record that announces more than follows, an alert, a record of an unknown type, and one that is too long.
  private static let broken: [[UInt8]] = [
    [], [0x16], [0x16, 3, 1, 2, 0, 1, 0], [0x15, 3, 3, 0, 2, 2, 40], [0x15, 3, 3, 0, 2, 1, 0], [0x99, 3, 3, 0, 1, 0],
    [0x16, 3, 3, 0xFF, 0xFF] + [UInt8](repeating: 0, count: 100), plain,
  ]

  @Test(arguments: [false, true]) func brokenHandshakesHarmNobody(byReset: Bool) async throws {
    let certificate = try ServerCertificate.selfSigned(commonName: "localhost", names: ["localhost"], addresses: [], days: 2)
    let context = try TLSContext(certificatePEM: certificate.certificatePEM, privateKeyPEM: certificate.privateKeyPEM)
    let served = Record<Bool>()
    try await withListener(
      tls: context,
      serve: { stream, loop in
        served.append(true)
        await echo(stream, loop)
      }
    ) { listener, _ in
      let address = listener.localAddress
      let answer = try await blocking {
        let steady = try BlockingTLSClient(address, .init(trusted: certificate.certificatePEM))
        for round in 0..<10 {
          for bytes in Self.broken {
            let client = try BlockingClient(address)
            try? client.send(bytes)
            if byReset {
              client.resetOnClose()
            } else {
              client.shutdownWrite()
              // The server closes the connection, possibly with an alert, but never with a response.
              let rest = (try? client.receiveToEnd()) ?? []
              guard rest.count <= 7 else { throw ClientError(call: "plain answer", code: 0) }
            }
          }
          // Established connections continue, and an error of another connection is not taken for theirs.
          try steady.send([UInt8(round)])
          guard try steady.receive(exactly: 1) == [UInt8(round)] else { throw ClientError(call: "echo", code: 0) }
        }
        let late = try BlockingTLSClient(address, .init(trusted: certificate.certificatePEM))
        try late.send("late")
        return try late.receive(exactly: 4)
      }
      #expect(answer == Array("late".utf8))
      #expect(served.values.count == 2)
    }
  }

  @Test func keyUpdatesInTheMiddleOfALargeExchangeGoUnnoticed() async throws {
    let certificate = try ServerCertificate.selfSigned(commonName: "localhost", names: ["localhost"], addresses: [], days: 2)
    let context = try TLSContext(certificatePEM: certificate.certificatePEM, privateKeyPEM: certificate.privateKeyPEM)
    try await withListener(tls: context, serve: echo) { listener, _ in
      let address = listener.localAddress
      let isRight = try await blocking {
        let client = try BlockingTLSClient(address, .init(trusted: certificate.certificatePEM))
        for round in 0..<50 {
          let bytes = pattern(20_000 + round)
          try client.updateKeys()
          try client.send(bytes)
          guard try client.receive(exactly: bytes.count) == bytes else { return false }
        }
        return true
      }
      #expect(isRight)
    }
  }
}
