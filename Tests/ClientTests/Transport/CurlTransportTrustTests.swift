import HTTPTypes
import Locking
import Support
import Testing
import Vault

@testable import Client

@Suite(.timeLimit(.minutes(1))) struct CurlTransportTrustTests {
  private static func pin(_ pem: String) throws -> SPKIPin {
    try #require(SPKIPin(ServerCertificate.pin(ofCertificatePEM: pem)))
  }

  private static func answer(_ connection: ScriptedConnection) { connection.serve { _ in connection.respond() } }

  /// Expects the request to fail with an error that `matches`, and no byte of it at the server.
  private func expectRefusal(
    _ harness: TransportHarness, handshakes: Int = 0, _ matches: (TransportError) -> Bool
  ) async throws {
    for _ in 0..<2 {
      do throws(TransportError) {
        _ = try await harness.transport.send(
          TransportRequest(method: .post, url: harness.server.url, body: [1], isReplayable: true))
        Issue.record("it was sent")
      } catch {
        #expect(matches(error), "\(error)")
      }
    }
    await harness.transport.shutdown()
    // The last connection may not have been accepted yet.
    await eventually { harness.server.connections >= 2 }
    harness.server.stop()
    #expect(harness.server.applicationBytes == 0)
    #expect(harness.server.handshakes == handshakes)
    #expect(harness.server.connections == 2)
  }

  @Test func aPinnedKeyIsTrusted() async throws {
    let identity = try TestCertificates.selfSigned()
    let other = try #require(SPKIPin(digest: [UInt8](repeating: 1, count: 32)))
    let harness = try TransportHarness(
      identity, pins: [other, try Self.pin(identity.certificatePEM)], script: Self.answer)
    try await harness.use { harness in
      let response = try await harness.send()
      #expect(response.status == 200)
    }
  }

  @Test(arguments: [true, false]) func theCertificateIsToldWhetherOrNotItIsTrusted(isTrusted: Bool) async throws {
    let identity = try TestCertificates.selfSigned()
    let other = try TestCertificates.selfSigned()
    let server = try ScriptedTLSServer(identity, script: Self.answer)
    let told = Locked<[ServedCertificate]>([])
    let transport = try CurlTransport(
      TransportConfiguration(trust: .pem((isTrusted ? identity : other).certificatePEM), proxy: .none),
      onCertificate: { served in told.withLock { $0.append(served) } })
    try await TransportHarness(server: server, transport: transport).use { harness in
      let isSent = (try? await harness.send()) != nil
      #expect(isSent == isTrusted)
      let first = told.withLock { $0.first }
      let served = try #require(first)
      let pin = try Self.pin(identity.certificatePEM)
      #expect(served.pin == pin)
      #expect(served.fault == (isTrusted ? nil : .unknownAuthority))
      #expect(served.subject.hasPrefix("CN=") && served.issuer == served.subject)
      let from = try #require(served.validFrom)
      let until = try #require(served.validUntil)
      #expect(from < until)
    }
  }

  @Test func anotherKeyGetsNoByte() async throws {
    let identity = try TestCertificates.selfSigned()
    let other = try #require(SPKIPin(digest: [UInt8](repeating: 1, count: 32)))
    let presented = try Self.pin(identity.certificatePEM).description
    let harness = try TransportHarness(identity, pins: [other], script: Self.answer)
    try await expectRefusal(harness) { $0 == .pinMismatch(presented: [presented]) }
  }

  @Test func anyCertificateOfTheVerifiedChainMayBePinned() async throws {
    let (identity, root, intermediate) = try TestCertificates.chain()
    for pinned in [identity.certificatePEM, intermediate, root] {
      let harness = try TransportHarness(identity, trust: root, pins: [try Self.pin(pinned)], script: Self.answer)
      try await harness.use { harness in
        let response = try await harness.send()
        #expect(response.status == 200)
      }
    }
  }

  @Test func aMismatchNamesTheWholeVerifiedChain() async throws {
    let (identity, root, intermediate) = try TestCertificates.chain()
    let presented = try [identity.certificatePEM, intermediate, root].map { try Self.pin($0).description }
    let other = try #require(SPKIPin(digest: [UInt8](repeating: 1, count: 32)))
    let harness = try TransportHarness(identity, trust: root, pins: [other], script: Self.answer)
    try await expectRefusal(harness) { $0 == .pinMismatch(presented: presented) }
  }

  @Test func aPinnedCertificateThatIsMerelySentAlongDoesNotCount() async throws {
    var identity = try TestCertificates.selfSigned()
    let pinned = try TestCertificates.selfSigned().certificatePEM
    identity.extraPEM = [pinned]
    let presented = try Self.pin(identity.certificatePEM).description
    let harness = try TransportHarness(identity, pins: [try Self.pin(pinned)], script: Self.answer)
    try await expectRefusal(harness) { $0 == .pinMismatch(presented: [presented]) }
  }

  @Test func aPinDoesNotReplaceTrust() async throws {
    let identity = try TestCertificates.selfSigned()
    let harness = try TransportHarness(
      identity, trust: try TestCertificates.selfSigned().certificatePEM, pins: [try Self.pin(identity.certificatePEM)],
      script: Self.answer)
    try await expectRefusal(harness) { if case .tls = $0 { true } else { false } }
  }

  @Test(arguments: [true, false])
  func aPinDoesNotReplaceTheName(isPinned: Bool) async throws {
    let identity = try TestCertificates.selfSigned(names: ["elsewhere.test"], addresses: ["127.0.0.9"])
    let harness = try TransportHarness(
      identity, pins: isPinned ? [try Self.pin(identity.certificatePEM)] : [], script: Self.answer)
    // libcurl checks the name once the server has finished its handshake.
    try await expectRefusal(harness, handshakes: 2) { if case .tls = $0 { true } else { false } }
  }

  @Test(arguments: [true, false])
  func anUntrustedCertificateIsRefused(isSystem: Bool) async throws {
    let identity = try TestCertificates.selfSigned()
    let server = try ScriptedTLSServer(identity, script: Self.answer)
    let trust: TransportConfiguration.Trust = isSystem ? .system : .pem(try TestCertificates.selfSigned().certificatePEM)
    let transport = try CurlTransport(TransportConfiguration(trust: trust, proxy: .none))
    let harness = TransportHarness(server: server, transport: transport)
    try await expectRefusal(harness) { if case .tls(let text) = $0 { text.contains("certificate") } else { false } }
  }

  @Test func resumedSessionsStayWithinThePolicy() async throws {
    let identity = try TestCertificates.selfSigned()
    let pin = try Self.pin(identity.certificatePEM)
    let harness = try TransportHarness(identity, pins: [pin]) { connection in
      guard connection.handshake(), connection.readRequest() != nil else { return }
      connection.respond("200 OK", ["Connection: close"])
    }
    try await harness.use { harness in
      for _ in 0..<3 {
        let response = try await harness.send()
        #expect(response.status == 200)
      }
      #expect(harness.server.connections == 3)
      #expect(harness.server.resumptions == 2)
      let other = try #require(SPKIPin(digest: [UInt8](repeating: 1, count: 32)))
      let stricter = try CurlTransport(
        TransportConfiguration(trust: .pem(identity.certificatePEM), pins: [other], proxy: .none))
      await #expect(throws: TransportError.pinMismatch(presented: [pin.description])) {
        try await stricter.send(TransportRequest(method: .get, url: harness.server.url))
      }
      await stricter.shutdown()
      #expect(harness.server.resumptions == 2)
      #expect(harness.server.requests.count == 3)
    }
  }

  @Test func aServerThatSpeaksNoTLSIsRefused() async throws {
    let harness = try TransportHarness { connection in
      connection.writeRaw("HTTP/1.1 400 Bad Request\r\n\r\n")
      connection.waitForEnd()
    }
    try await expectRefusal(harness) { if case .tls = $0 { true } else { false } }
  }

  @Test func aConnectionThatEndsInTheHandshakeIsLost() async throws {
    let harness = try TransportHarness { _ in }
    try await expectRefusal(harness) { $0 == .connectionLost(mayHaveBeenProcessed: false) }
  }

  @Test func aTrustTextThatIsNoCertificateIsRefused() async throws {
    let harness = try TransportHarness(trust: "not PEM", script: Self.answer)
    try await expectRefusal(harness) { if case .tls = $0 { true } else { false } }
  }
}
