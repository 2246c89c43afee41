import COpenSSL
import Reactor
import Locking
import Testing

@Suite(.timeLimit(.minutes(1)))
struct TLSContextTests {
  /// A clock that the test advances.
  private final class Clock: Sendable {
    private let start = ContinuousClock.now
    private let passed = Locked(Duration.zero)

    var now: ContinuousClock.Instant { start + passed.withLock { $0 } }
    func advance(_ time: Duration) { passed.withLock { $0 += time } }
  }

  @Test(arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
  func theNameDecidesAndAnExactOneWins(version: Int32) async throws {
    let first = try NamedCertificate("a.test")
    let wild = try NamedCertificate("*.b.test", "b.test")
    let exact = try NamedCertificate("x.b.test")
    let context = try TLSContext([first, wild, exact].map(\.certificate))
    try await withListener(tls: context, serve: echo) { listener, _ in
      let address = listener.localAddress
      let cases: [(String?, NamedCertificate)] = [
        (nil, first), ("a.test", first), ("A.Test", first), ("b.test", wild), ("y.b.test", wild), ("x.b.test", exact),
        // Names without a certificate: two labels below the wildcard, another name, the subject's.
        ("z.y.b.test", first), ("c.test", first), ("subject.test", first),
      ]
      for (name, expected) in cases {
        var tryConsume = BlockingTLSClient.Offer(trusted: expected.pem)
        (tryConsume.serverName, tryConsume.minimum, tryConsume.maximum) = (name, version, version)
        let once = tryConsume
        let answer = try await blocking {
          let client = try BlockingTLSClient(address, once)
          try client.send("x")
          return (try client.receive(exactly: 1), client.chosenProtocol)
        }
        #expect(answer == (Array("x".utf8), "http/1.1"), "\(name ?? "no name")")
      }
    }
  }

  @Test func withoutACertificateThereIsNoContext() {
    #expect(throws: ReactorError.badCertificate) { try TLSContext([]) }
  }

  @Test func theKeyIsNotPrinted() throws {
    let certificate = try NamedCertificate("a.test").certificate
    #expect(
      "\(certificate) \(String(reflecting: certificate)) \(Array(Mirror(reflecting: certificate).children))"
        == "TLSCertificate TLSCertificate []")
  }

  @Test(arguments: [TLS1_2_VERSION, TLS1_3_VERSION])
  func ticketsLiveForTheirKeyAndTheNext(version: Int32) async throws {
    let certificate = try NamedCertificate("a.test")
    let clock = Clock()
    let context = try TLSContext([certificate.certificate], now: { clock.now })
    try await withListener(tls: context, serve: echo) { listener, _ in
      let address = listener.localAddress
      var tryConsume = BlockingTLSClient.Offer(trusted: certificate.pem)
      (tryConsume.minimum, tryConsume.maximum) = (version, version)
      let once = tryConsume
      // The age of a session in minutes when it is resumed, and whether that must succeed.
      for (minutes, isKnown) in [(0, true), (59, true), (61, true), (119, true), (121, false), (600, false)] {
        clock.advance(.seconds(6 * 3600))
        let session = try await blocking { try Self.session(BlockingTLSClient(address, once)) }
        clock.advance(.seconds(minutes * 60))
        let isResumed = try await blocking {
          let client = try BlockingTLSClient(address, once, session: session.pointer)
          _ = try Self.session(client)
          return client.isResumed
        }
        #expect(isResumed == isKnown, "after \(minutes) minutes")
      }
    }
  }

  @Test func aReplacedCertificateEndsTheSessions() async throws {
    let certificate = try NamedCertificate("a.test")
    let context = try TLSContext([certificate.certificate])
    try await withListener(tls: context, serve: echo) { listener, _ in
      let address = listener.localAddress
      let tryConsume = BlockingTLSClient.Offer(trusted: certificate.pem)
      let session = try await blocking { try Self.session(BlockingTLSClient(address, tryConsume)) }
      try context.replace([certificate.certificate])
      let isResumed = try await blocking { try BlockingTLSClient(address, tryConsume, session: session.pointer).isResumed }
      #expect(!isResumed)
    }
  }

  @Test func aTicketAllowsNoEarlyData() async throws {
    let certificate = try NamedCertificate("a.test")
    let context = try TLSContext([certificate.certificate])
    try await withListener(tls: context, serve: echo) { listener, _ in
      let address = listener.localAddress
      let tryConsume = BlockingTLSClient.Offer(trusted: certificate.pem)
      let session = try await blocking { try Self.session(BlockingTLSClient(address, tryConsume)) }
      let pointer = try #require(session.pointer)
      // Anyone who recorded a request in early data could replay it (RFC 8446 §8).
      #expect(SSL_SESSION_has_ticket(pointer) == 1 && SSL_SESSION_get_max_early_data(pointer) == 0)
    }
  }

  /// A client's session; freed with this object.
  ///
  /// `@unchecked Sendable`: it owns a C handle that nobody changes.
  private final class Session: @unchecked Sendable {
    let pointer: OpaquePointer?
    init(_ pointer: OpaquePointer?) { self.pointer = pointer }
    deinit { SSL_SESSION_free(pointer) }
  }

  private static func session(_ client: BlockingTLSClient) throws -> Session {
    try client.send("x")
    // TLS 1.3 tickets come after the handshake, before the echoed byte.
    _ = try client.receive(exactly: 1)
    client.sendCloseNotify()
    return Session(client.session())
  }
}
