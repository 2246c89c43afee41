import HTTPTypes
import Support
import Testing

@testable import Client

@Suite(.timeLimit(.minutes(1))) struct CurlTransportCancelTests {
  /// The phase in which the server blocks when the caller leaves.
  enum Phase: CaseIterable {
    case handshake, sending, answer, body
  }

  /// It returns before the phase ends, which happens only with the connection.
  @Test(arguments: Phase.allCases)
  func aCancelledCallerReturnsAndItsConnectionIsClosed(phase: Phase) async throws {
    let gate = ThreadGate()
    let harness = try TransportHarness { connection in
      guard phase != .handshake else { return connection.waitForEnd() }
      guard connection.handshake() else { return }
      if phase == .sending {
        _ = connection.readSome()
        // Nothing more is read, so the rest of the body stays with the client.
        gate.wait()
        return connection.waitForEnd()
      }
      guard connection.readRequest() != nil else { return }
      if phase == .body { connection.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort") }
      connection.waitForEnd()
    }
    try await harness.use { harness in
      let body: [UInt8]? = phase == .sending ? [UInt8](repeating: 1, count: 64 << 20) : nil
      let call = Task { try await harness.send(body == nil ? .get : .post, body: body) }
      await harness.server.reached(phase == .handshake ? .connected(1) : phase == .sending ? .bytes : .request(1))
      call.cancel()
      let result = await call.result
      #expect(throws: TransportError.cancelled) { try result.get() }
      gate.open()
      await harness.server.reached(.closed(1))
    }
  }

  /// The queue of a listener that accepts nobody is full, so that the next connection is neither made nor refused.
  @Test func aCancelledCallerReturnsWhileItsConnectionIsBeingMade() async throws {
    let full = try FullListener()
    let transport = try CurlTransport(TransportConfiguration(proxy: .none))
    let call = Task { try await transport.send(TransportRequest(method: .get, url: "https://127.0.0.1:\(full.port)/")) }
    try await OwnThread.run { full.waitForAttempt() }
    call.cancel()
    let result = await call.result
    #expect(throws: TransportError.cancelled) { try result.get() }
    await transport.shutdown()
  }

  /// libcurl joins a thread that hangs in a lookup when its handle is removed, unless told not to.
  @Test func aCancelledCallerReturnsWhileItsNameIsLookedUpAndOthersGoOn() async throws {
    let harness = try TransportHarness { connection in connection.serve { _ in connection.respond() } }
    try await harness.use { harness in
      let call = Task {
        try await harness.transport.send(TransportRequest(method: .get, url: "https://\(HangingResolver.name)/"))
      }
      await HangingResolver.waitUntilAsked()
      call.cancel()
      let result = await call.result
      #expect(throws: TransportError.cancelled) { try result.get() }
      // The lookup still hangs, and neither another request nor the shutdown waits for it.
      let response = try await harness.send()
      #expect(response.status == 200)
      await harness.transport.shutdown()
    }
    HangingResolver.open()
  }

  /// The transport's thread is blocked, so that none of its requests has started.
  @Test func aCancelledCallerReturnsWhileItIsQueued() async throws {
    let identity = try TestCertificates.selfSigned()
    let server = try ScriptedTLSServer(identity) { connection in connection.serve { _ in connection.respond() } }
    let entered = ThreadGate()
    let gate = ThreadGate()
    var configuration = TransportConfiguration(trust: .pem(identity.certificatePEM), proxy: .none)
    configuration.pins = Set([SPKIPin(digest: [UInt8](repeating: 1, count: 32))].compactMap { $0 })
    configuration.pinMode = .report
    let transport = try CurlTransport(configuration) { _ in
      entered.open()
      gate.wait()
    }
    let request = TransportRequest(method: .get, url: server.url, isReplayable: true)
    let first = Task { try await transport.send(request) }
    try await OwnThread.run { entered.wait() }
    let queued = Task { try await transport.send(request) }
    queued.cancel()
    let result = await queued.result
    #expect(throws: TransportError.cancelled) { try result.get() }
    gate.open()
    #expect(try await first.value.status == 200)
    await transport.shutdown()
    #expect(server.requests.count == 1)
    server.stop()
  }

  @Test func aCallerThatWasCancelledBeforeSendsNothing() async throws {
    let harness = try TransportHarness { $0.serve { _ in } }
    try await harness.use { harness in
      let call = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return try await harness.send()
      }
      let result = await call.result
      #expect(throws: TransportError.cancelled) { try result.get() }
      #expect(harness.server.connections == 0)
    }
  }

  @Test func aCancelledCallLeavesTheOthersAlone() async throws {
    let harness = try TransportHarness { connection in
      connection.serve { request in
        if request.requestLine.contains("stall") { connection.waitForEnd() } else { connection.respond() }
      }
    }
    try await harness.use { harness in
      let call = Task { try await harness.send(.get, "/stall") }
      await harness.server.reached(.request(1))
      call.cancel()
      for _ in 0..<3 {
        let response = try await harness.send()
        #expect(response.status == 200)
      }
    }
  }

  @Test func aStormOfCancelsLeavesNobodyWaiting() async throws {
    let harness = try TransportHarness { connection in connection.serve { _ in connection.respond() } }
    try await harness.use { harness in
      await withTaskGroup(of: Void.self) { group in
        for number in 0..<200 {
          group.addTask {
            let call = Task { try await harness.send() }
            if number % 2 == 0 { call.cancel() }
            _ = await call.result
          }
        }
      }
      let response = try await harness.send()
      #expect(response.status == 200)
    }
  }

  @Test func shutdownEndsWhatIsUnderWayAndRefusesTheRest() async throws {
    let harness = try TransportHarness { connection in
      guard connection.handshake(), connection.readRequest() != nil else { return }
      connection.waitForEnd()
    }
    let call = Task { try await harness.send() }
    await harness.server.reached(.request(1))
    await harness.transport.shutdown()
    let result = await call.result
    #expect(throws: TransportError.cancelled) { try result.get() }
    await harness.server.reached(.closed(1))
    await #expect(throws: TransportError.cancelled) { try await harness.send() }
    await harness.transport.shutdown()
    harness.server.stop()
  }

  @Test func aFinishingShutdownLetsAnswersComeIn() async throws {
    let gate = ThreadGate()
    let harness = try TransportHarness { connection in
      connection.serve { _ in
        gate.wait()
        connection.respond("202 Accepted")
      }
    }
    let call = Task { try await harness.send() }
    await harness.server.reached(.request(1))
    let end = Task { await harness.transport.shutdown(finishing: true) }
    // After its deadline it is never sent, and it fails as soon as the shutdown has begun.
    var refusal: TransportError?
    while refusal != .cancelled {
      do throws(TransportError) { _ = try await harness.send(.get, "/late", within: .zero) } catch { refusal = error }
    }
    gate.open()
    #expect(try await call.value.status == 202)
    await end.value
    harness.server.stop()
  }

  @Test func aTransportThatIsDroppedClosesItsConnections() async throws {
    let identity = try TestCertificates.selfSigned()
    let server = try ScriptedTLSServer(identity) { connection in connection.serve { _ in connection.respond() } }
    do {
      let transport = try CurlTransport(TransportConfiguration(trust: .pem(identity.certificatePEM), proxy: .none))
      #expect(try await transport.transport.send(TransportRequest(method: .get, url: server.url)).status == 200)
    }
    await server.reached(.closed(1))
    server.stop()
  }
}
