import Client
import Domain
import HTTPTypes
import Observability
import RPC
import Support
import Testing
import Vault

/// Edge cases 21 to 23: which servers the client trusts, and what it sends them.
@Suite(.timeLimit(.minutes(2)))
struct TrustEdgeCaseTests {
  private static func pin(_ pem: String) throws -> SPKIPin {
    try #require(SPKIPin(ServerCertificate.pin(ofCertificatePEM: pem)))
  }

  private static let foreign = SPKIPin(digest: [UInt8](repeating: 1, count: 32))

  private static func answer(_ connection: ScriptedConnection) {
    connection.serve { _ in connection.respond(body: LiveHarness.me) }
  }

  // MARK: 21

  /// Naive: `CURLOPT_FOLLOWLOCATION`, which sends all but two headers to wherever the redirect leads.
  @Test(arguments: ["301 Moved Permanently", "302 Found", "303 See Other", "307 Temporary Redirect", "308 Permanent Redirect"])
  func edgeCase21NoRedirectIsFollowedAnywhere(status: String) async throws {
    let code = try #require(Int(status.prefix(3)))
    let elsewhere = try ScriptedTLSServer(try TestCertificates.selfSigned(), script: Self.answer)
    let harness = try LiveHarness { connection in
      connection.serve { request in
        let target = request.requestLine.contains("keyed") ? "/elsewhere" : elsewhere.url + "/rpc/me"
        connection.respond(status, ["Location: \(target)"])
      }
    }
    try await harness.use { harness in
      try await harness.adoptTokens()
      #expect(await harness.me().error?.word == "unexpected_payload")
      #expect(await harness.call(KeyedPost()) == .failure(.unexpectedPayload(.unexpected(status: code))))
      // Neither another origin nor another path is called, and the call is not retried.
      #expect(elsewhere.connections == 0)
      #expect(harness.server.requests.map(\.requestLine) == ["GET /rpc/me HTTP/1.1", "POST /rpc/keyed_post HTTP/1.1"])
      #expect(await harness.stack.session.state.phase == .authenticated)
    }
    elsewhere.stop()
  }

  // MARK: 22

  /// The key of the chain that is pinned.
  enum Place: CaseIterable {
    case leaf, intermediate, root
  }

  @Test(arguments: Place.allCases, [true, false])
  func edgeCase22AnyKeyOfTheVerifiedChainMatchesAndNoOther(place: Place, isMatch: Bool) async throws {
    let authority = try TestCertificates.Authority()
    let other = try TestCertificates.Authority()
    let identity = try authority.server()
    let source = isMatch ? authority : other
    let pem =
      place == .leaf
      ? (isMatch ? identity : try other.server()).certificatePEM : place == .root ? source.root : source.intermediate
    let harness = try LiveHarness(identity, trust: authority.root, pins: [try Self.pin(pem)], script: Self.answer)
    try await harness.use { harness in
      try await harness.adoptTokens()
      let presented = try [identity.certificatePEM, authority.intermediate, authority.root].map { try Self.pin($0).description }
      #expect(await harness.me() == (isMatch ? .success(ScriptedBackend.me) : .failure(.pinMismatch(presented: presented))))
      #expect((harness.server.applicationBytes > 0) == isMatch)
    }
  }

  @Test(arguments: [true, false])
  func edgeCase22ABackupPinIsAsGood(isAmongOthers: Bool) async throws {
    let identity = try TestCertificates.selfSigned()
    let foreign = try #require(Self.foreign)
    let pins: Set = isAmongOthers ? [foreign, try Self.pin(identity.certificatePEM)] : [foreign]
    let harness = try LiveHarness(identity, pins: pins, script: Self.answer)
    try await harness.use { harness in
      try await harness.adoptTokens()
      #expect(((try? await harness.me().get()) != nil) == isAmongOthers)
    }
  }

  @Test func edgeCase22ARenewedLeafUnderAPinnedIntermediateIsTrusted() async throws {
    let authority = try TestCertificates.Authority()
    let pins: Set = [try Self.pin(authority.intermediate)]
    for _ in 0..<2 {
      let harness = try LiveHarness(try authority.server(), trust: authority.root, pins: pins, script: Self.answer)
      try await harness.use { harness in
        try await harness.adoptTokens()
        #expect((try? await harness.me().get()) != nil)
      }
    }
  }

  /// Naive: checking the certificates that were sent (CVE-2016-2402).
  @Test func edgeCase22APinnedCertificateThatIsMerelySentAlongDoesNotCount() async throws {
    let pinned = try TestCertificates.Authority()
    let attacker = try TestCertificates.Authority()
    var identity = try attacker.server()
    identity.extraPEM += [pinned.intermediate, pinned.root]
    // The attacker's authority is trusted too, like one of a hundred in a store.
    let harness = try LiveHarness(
      identity, trust: attacker.root + pinned.root, pins: [try Self.pin(pinned.intermediate), try Self.pin(pinned.root)],
      script: Self.answer)
    try await harness.use { harness in
      try await harness.adoptTokens()
      let presented = try [identity.certificatePEM, attacker.intermediate, attacker.root].map { try Self.pin($0).description }
      #expect(await harness.me() == .failure(.pinMismatch(presented: presented)))
      #expect(harness.server.applicationBytes == 0)
    }
  }

  @Test(arguments: ["name", "date", "authority"])
  func edgeCase22ARightPinReplacesNoOtherCheck(fault: String) async throws {
    let authority = try TestCertificates.Authority()
    let identity = try authority.server(address: fault == "name" ? "127.0.0.9" : "127.0.0.1", isExpired: fault == "date")
    let trust = fault == "authority" ? try TestCertificates.Authority().root : authority.root
    let harness = try LiveHarness(identity, trust: trust, pins: [try Self.pin(identity.certificatePEM)], script: Self.answer)
    try await harness.use { harness in
      try await harness.adoptTokens()
      #expect(await harness.me() == .failure(.tlsFailed))
      #expect(harness.server.applicationBytes == 0)
      #expect(harness.server.connections == 1)
    }
  }

  /// Naive: a mismatch counts as a lost connection, is retried three times and ends in a refresh and a logout.
  @Test func edgeCase22AMismatchSendsNothingAndIsNoRetryRefreshOrLogout() async throws {
    let identity = try TestCertificates.selfSigned()
    // The next refresh must not begin before the state is read.
    let harness = try LiveHarness(
      identity, pins: [try #require(Self.foreign)], backoff: Backoff(first: .seconds(600)), script: Self.answer)
    try await harness.use { harness in
      try await harness.adoptTokens()
      let presented = [try Self.pin(identity.certificatePEM).description]
      #expect(await harness.me() == .failure(.pinMismatch(presented: presented)))
      #expect(harness.server.connections == 1)
      #expect(await harness.stack.session.refresh() == .failed(.pinMismatch(presented: presented)))
      #expect(harness.server.connections == 2)
      #expect(harness.server.applicationBytes == 0)
      let state = await harness.stack.session.state
      #expect(state.phase == .error && state.reason == "pin_mismatch")
      // The rows name the presented pins.
      let rows = harness.log.rows().events
      #expect(rows.map(\.error) == ["pin_mismatch", "pin_mismatch"])
      #expect(harness.log.detail(id: rows[0].id)?.presentedPins == presented)
      // It does not count as an outage either.
      #expect(!harness.stack.connectivity.isOffline)
    }
  }

  // MARK: 23

  /// Naive: changing the pins of a handle whose pool and TLS sessions stay.
  @Test func edgeCase23ChangedPinsLeaveOldConnectionsAndTLSSessionsUnused() async throws {
    let identity = try TestCertificates.selfSigned()
    let own: Set = [try Self.pin(identity.certificatePEM)]
    let harness = try LiveHarness(identity, pins: own, script: Self.answer)
    try await harness.use { harness in
      try await harness.adoptTokens()
      for _ in 0..<2 { #expect((try? await harness.me().get()) != nil) }
      #expect(harness.server.connections == 1)
      try harness.transport.rotate(to: [try #require(Self.foreign)])
      #expect(await harness.me() == .failure(.pinMismatch(presented: own.map(\.description))))
      #expect(harness.server.requests.count == 2)
      try harness.transport.rotate(to: own)
      #expect((try? await harness.me().get()) != nil)
      #expect(harness.server.connections == 3)
      #expect(harness.server.resumptions == 0)
      #expect(harness.transport.pins == own)
    }
  }

  @Test func edgeCase23WhatIsUnderWayEndsAndNothingIsLostOrSentTwice() async throws {
    let identity = try TestCertificates.selfSigned()
    let own = try Self.pin(identity.certificatePEM)
    let foreign = try #require(Self.foreign)
    let held = ThreadGate()
    let harness = try LiveHarness(identity, pins: [own]) { connection in
      connection.serve { request in
        if request.requestLine.contains("held") { held.wait() }
        connection.respond(body: LiveHarness.me)
      }
    }
    try await harness.use { harness in
      @Sendable func send(_ path: String) async throws -> Int {
        try await harness.transport.send(TransportRequest(method: .post, url: harness.server.url + path, body: [1])).status
      }
      let first = Task { try await send("/held") }
      await harness.server.reached(.request(1))
      let rotations = Task {
        var turn = 0
        while !Task.isCancelled {
          // Both sets contain the right key, so every request succeeds.
          try harness.transport.rotate(to: turn % 2 == 0 ? [own, foreign] : [own])
          turn += 1
          await Task.yield()
        }
      }
      try await withThrowingTaskGroup(of: Int.self) { group in
        for number in 0..<200 { group.addTask { try await send("/\(number)") } }
        for try await status in group { #expect(status == 200) }
      }
      rotations.cancel()
      try await rotations.value
      held.open()
      #expect(try await first.value == 200)
      #expect(Set(harness.server.requests.map(\.requestLine)).count == 201)
      #expect(harness.server.requests.count == 201)
    }
  }

  @Test func aShutDownTransportTakesNoRotationAndNoRequest() async throws {
    let transport = try RotatingTransport(TransportConfiguration(proxy: .none))
    await transport.shutdown()
    try transport.rotate(to: [try #require(Self.foreign)])
    #expect(transport.pins.isEmpty)
    await #expect(throws: TransportError.cancelled) {
      try await transport.send(TransportRequest(method: .get, url: "https://127.0.0.1:9/"))
    }
  }

  // MARK: Report only

  @Test func reportingPinsTellOfAMismatchAndSendAllTheSame() async throws {
    let identity = try TestCertificates.selfSigned()
    let reports = LockedBox<[[String]]>([])
    let server = try ScriptedTLSServer(identity, script: Self.answer)
    var configuration = TransportConfiguration(
      trust: .pem(identity.certificatePEM), pins: [try #require(Self.foreign)], proxy: .none)
    configuration.pinMode = .report
    let transport = try RotatingTransport(configuration) { presented in reports.value.append(presented) }
    for _ in 0..<2 {
      #expect(try await transport.send(TransportRequest(method: .get, url: server.url, isReplayable: true)).status == 200)
    }
    let own = try Self.pin(identity.certificatePEM)
    #expect(reports.value == [[own.description]])
    try transport.rotate(to: [own])
    #expect(try await transport.send(TransportRequest(method: .get, url: server.url)).status == 200)
    #expect(reports.value.count == 1)
    await transport.shutdown()
    // It does not disable the verification of the chain.
    configuration.trust = .pem(try TestCertificates.selfSigned().certificatePEM)
    let stranger = try RotatingTransport(configuration) { presented in reports.value.append(presented) }
    await #expect(throws: TransportError.self) { try await stranger.send(TransportRequest(method: .get, url: server.url)) }
    #expect(reports.value.count == 1)
    await stranger.shutdown()
    server.stop()
  }

  @Test func theSameReportIsMadeOnceADay() {
    var limit = PinReportLimit()
    let now = ContinuousClock().now
    let asked: [([String], Duration)] = [
      (["a"], .zero), (["a"], .seconds(86_399)), (["a", "b"], .zero), (["a"], .seconds(86_400)),
    ]
    #expect(asked.map { limit.admits($0.0, now: now + $0.1) } == [true, false, true, true])
    // A server that presents a new key each time does not fill the memory.
    #expect((0..<1000).allSatisfy { limit.admits(["\($0)"], now: now) })
  }
}
