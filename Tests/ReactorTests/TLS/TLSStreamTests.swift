import COpenSSL
import Glibc
import Reactor
import Testing
import Vault

@Suite(.timeLimit(.minutes(1)))
struct TLSStreamTests {
  private static func certificate(_ name: String = "localhost") throws -> ServerCertificate {
    try ServerCertificate.selfSigned(commonName: name, names: [name], addresses: ["127.0.0.1"], days: 2)
  }

  private static func context(_ certificate: ServerCertificate) throws -> TLSContext {
    try TLSContext(certificatePEM: certificate.certificatePEM, privateKeyPEM: certificate.privateKeyPEM)
  }

  /// A TLS listener and what a client needs to trust it.
  private func withTLS<T>(
    handshakeTime: Duration = .seconds(10), serve: @escaping @Sendable (any ByteStream, EventLoop) async -> Void,
    _ body: (SocketAddress, BlockingTLSClient.Offer, EventLoopGroup) async throws -> T
  ) async throws -> T {
    let certificate = try Self.certificate()
    let tryConsume = BlockingTLSClient.Offer(trusted: certificate.certificatePEM)
    return try await withListener(tls: Self.context(certificate), handshakeTime: handshakeTime, serve: serve) { listener, group in
      try await body(listener.localAddress, tryConsume, group)
    }
  }

  @Test(arguments: [(TLS1_2_VERSION, "TLSv1.2"), (TLS1_3_VERSION, "TLSv1.3")])
  func oneMegabyteComesBackUnchanged(version: Int32, name: String) async throws {
    try await withTLS(serve: echo) { address, tryConsume, _ in
      var tryConsume = tryConsume
      tryConsume.minimum = version
      tryConsume.maximum = version
      let once = tryConsume
      let sent = pattern(1 << 20)
      let (received, used, alpn) = try await blocking {
        let client = try BlockingTLSClient(address, once)
        var received: [UInt8] = []
        // In pieces: a blocking client that sends everything before it reads would fill both directions.
        for start in stride(from: 0, to: sent.count, by: 50_000) {
          let piece = Array(sent[start..<min(sent.count, start + 50_000)])
          try client.send(piece)
          received += try client.receive(exactly: piece.count)
        }
        return (received, client.version, client.chosenProtocol)
      }
      #expect(received == sent)
      #expect(used == name)
      #expect(alpn == "http/1.1")
    }
  }

  @Test func aLargeAnswerWaitsForASlowReaderAndArrivesWhole() async throws {
    let sent = pattern(3 << 20)
    try await withTLS(serve: { stream, _ in
      try? await stream.write(sent, deadline: nil)
    }) { address, tryConsume, _ in
      let received = try await blocking { try BlockingTLSClient(address, tryConsume).receiveToEnd() }
      #expect(received == sent)
    }
  }

  @Test(arguments: [[], ["http/1.1"]]) func clientsWithoutOtherProtocolsAreServed(protocols: [String]) async throws {
    try await withTLS(serve: echo) { address, tryConsume, _ in
      var tryConsume = tryConsume
      tryConsume.protocols = protocols
      let once = tryConsume
      let chosen = try await blocking { try BlockingTLSClient(address, once).chosenProtocol }
      #expect(chosen == protocols.first ?? "")
    }
  }

  @Test func aClientThatOnlySpeaksAnotherProtocolIsRefusedAndTheNextServed() async throws {
    try await withTLS(serve: echo) { address, tryConsume, _ in
      var other = tryConsume
      other.protocols = ["h2"]
      let refused = other
      await #expect(throws: ClientError.self) { try await blocking { _ = try BlockingTLSClient(address, refused) } }
      let version = try await blocking { try BlockingTLSClient(address, tryConsume).version }
      #expect(version == "TLSv1.3")
    }
  }

  @Test func olderVersionsAreRefused() async throws {
    try await withTLS(serve: echo) { address, tryConsume, _ in
      var old = tryConsume
      old.minimum = TLS1_VERSION
      old.maximum = TLS1_1_VERSION
      let refused = old
      await #expect(throws: ClientError.self) { try await blocking { _ = try BlockingTLSClient(address, refused) } }
    }
  }

  @Test(arguments: [TLS1_2_VERSION, TLS1_3_VERSION]) func aTicketResumesTheSession(version: Int32) async throws {
    try await withTLS(serve: echo) { address, tryConsume, _ in
      var tryConsume = tryConsume
      tryConsume.minimum = version
      tryConsume.maximum = version
      let once = tryConsume
      let resumed = try await blocking {
        let first = try BlockingTLSClient(address, once)
        try first.send("x")
        // TLS 1.3 tickets come after the handshake, before the echoed byte.
        _ = try first.receive(exactly: 1)
        first.sendCloseNotify()
        let session = first.session()
        defer { SSL_SESSION_free(session) }
        let second = try BlockingTLSClient(address, once, session: session)
        return [first.isResumed, second.isResumed]
      }
      #expect(resumed == [false, true])
    }
  }

  @Test func plainHTTPIsClosedAndNeverServed() async throws {
    try await withTLS(serve: { stream, _ in
      try? await stream.write(Array("served".utf8), deadline: nil)
    }) { address, tryConsume, _ in
      let answer = try await blocking {
        let client = try BlockingClient(address)
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        return try client.receiveToEnd()
      }
      #expect(!String(decoding: answer, as: UTF8.self).contains("served"))
      let served = try await blocking { try BlockingTLSClient(address, tryConsume).receiveToEnd() }
      #expect(served == Array("served".utf8))
    }
  }

  @Test func aStalledHandshakeIsClosedAtItsDeadline() async throws {
    try await withTLS(handshakeTime: .milliseconds(100), serve: echo) { address, _, _ in
      let start = ContinuousClock.now
      let answer = try await blocking {
        let client = try BlockingClient(address)
        try client.send([0x16])
        return try client.receiveToEnd()
      }
      #expect(answer.isEmpty)
      #expect(start.duration(to: .now) >= .milliseconds(90))
    }
  }

  @Test func aKeyUpdateGoesUnnoticed() async throws {
    try await withTLS(serve: echo) { address, tryConsume, _ in
      let answer = try await blocking {
        let client = try BlockingTLSClient(address, tryConsume)
        var answer: [UInt8] = []
        for text in ["one", "two", "six"] {
          try client.updateKeys()
          try client.send(text)
          answer += try client.receive(exactly: 3)
        }
        return answer
      }
      #expect(answer == Array("onetwosix".utf8))
    }
  }

  @Test func renegotiationIsRefused() async throws {
    try await withTLS(serve: echo) { address, tryConsume, _ in
      var tryConsume = tryConsume
      tryConsume.maximum = TLS1_2_VERSION
      let once = tryConsume
      await #expect(throws: ClientError.self) {
        try await blocking {
          let client = try BlockingTLSClient(address, once)
          try client.send("x")
          _ = try client.receive(exactly: 1)
          try client.renegotiate()
          try client.send("y")
          _ = try client.receive(exactly: 1)
        }
      }
    }
  }

  /// How a client disconnects.
  enum Leaving: CaseIterable { case closeNotify, cut, reset, garbage }

  @Test(arguments: zip(Leaving.allCases, [nil, StreamError.reset, .reset, .tls]))
  func theEndOfInputIsToldFromACut(leaving: Leaving, expected: StreamError?) async throws {
    let result = Signal<StreamError?>()
    try await withTLS(serve: { stream, _ in
      _ = await readError(stream)
      result.fulfil(await readError(stream))
    }) { address, tryConsume, _ in
      let client = try await blocking { try BlockingTLSClient(address, tryConsume) }
      try await blocking {
        try client.send("x")
        switch leaving {
        case .closeNotify: client.sendCloseNotify()
        case .cut: client.socket.shutdownWrite()
        case .reset: try client.socket.reset()
        case .garbage: try client.socket.send(pattern(100))
        }
      }
      #expect(await result.value == expected)
    }
  }

  @Test func afterTheClientsHalfCloseTheAnswerIsStillSent() async throws {
    try await withTLS(serve: { stream, _ in
      var request: [UInt8] = []
      while ((try? await stream.read(into: &request, atMost: 100, deadline: nil)) ?? 0) > 0 {}
      try? await stream.write(request, deadline: nil)
      await stream.closeLingering()
    }) { address, tryConsume, _ in
      let answer = try await blocking {
        let client = try BlockingTLSClient(address, tryConsume)
        try client.send("question")
        client.sendCloseNotify()
        return try client.receiveToEnd()
      }
      #expect(answer == Array("question".utf8))
    }
  }

  @Test func readsEndAtTheirDeadlineAndWhenCancelled() async throws {
    let result = Signal<[StreamError?]>()
    try await withTLS(serve: { stream, loop in
      let first = await readError(stream, deadline: .now + .milliseconds(30))
      let reader = Task(executorPreference: loop) { await readError(stream) }
      await Task.yield()
      reader.cancel()
      result.fulfil([first, await reader.value])
    }) { address, tryConsume, _ in
      let client = try await blocking { try BlockingTLSClient(address, tryConsume) }
      #expect(await result.value == [.timedOut, .cancelled])
      withExtendedLifetime(client) {}
    }
  }

  @Test func aReplacedCertificateIsUsedByTheNextConnection() async throws {
    let old = try Self.certificate("old.test")
    let new = try Self.certificate("new.test")
    let context = try Self.context(old)
    try await withListener(tls: context, serve: echo) { listener, _ in
      let address = listener.localAddress
      let early = try await blocking { try BlockingTLSClient(address, .init(trusted: old.certificatePEM)) }
      #expect(throws: ReactorError.badPrivateKey) {
        try context.replace([TLSCertificate(certificatePEM: new.certificatePEM, privateKeyPEM: old.privateKeyPEM)])
      }
      _ = try await blocking { try BlockingTLSClient(address, .init(trusted: old.certificatePEM)) }
      try context.replace([TLSCertificate(certificatePEM: new.certificatePEM, privateKeyPEM: new.privateKeyPEM)])
      _ = try await blocking { try BlockingTLSClient(address, .init(trusted: new.certificatePEM)) }
      await #expect(throws: ClientError.self) {
        try await blocking { _ = try BlockingTLSClient(address, .init(trusted: old.certificatePEM)) }
      }
      let echoed = try await blocking {
        try early.send("old")
        return try early.receive(exactly: 3)
      }
      #expect(echoed == Array("old".utf8))
    }
  }

  @Test func unusableTextIsRefused() throws {
    let good = try Self.certificate()
    let other = try Self.certificate()
    let encrypted = "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMAA=\n-----END ENCRYPTED PRIVATE KEY-----\n"
    for (certificate, key, expected) in [
      ("", good.privateKeyPEM, ReactorError.badCertificate), (good.privateKeyPEM, good.privateKeyPEM, .badCertificate),
      (good.certificatePEM, "", .badPrivateKey), (good.certificatePEM, other.privateKeyPEM, .badPrivateKey),
      (good.certificatePEM, encrypted, .badPrivateKey),
    ] {
      #expect(throws: expected) { try TLSContext(certificatePEM: certificate, privateKeyPEM: key) }
    }
  }
}
