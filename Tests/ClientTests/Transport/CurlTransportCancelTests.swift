import HTTPTypes
import Testing

@testable import Client

@Suite(.timeLimit(.minutes(1))) struct CurlTransportCancelTests {
  /// Where the server stands still when the caller leaves.
  enum Phase: CaseIterable {
    case handshake, answer, body
  }

  @Test(arguments: Phase.allCases)
  func aCancelledCallerReturnsAndItsConnectionIsClosed(phase: Phase) async throws {
    let harness = try TransportHarness { connection in
      guard phase != .handshake else { return connection.waitForEnd() }
      guard connection.handshake(), connection.readRequest() != nil else { return }
      if phase == .body { connection.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort") }
      connection.waitForEnd()
    }
    try await harness.use { harness in
      let call = Task { try await harness.send() }
      await harness.server.reached(phase == .handshake ? .connected(1) : .request(1))
      let cancelled = ContinuousClock.now
      call.cancel()
      let result = await call.result
      // Far under every timeout, and lax enough for a loaded machine.
      #expect(ContinuousClock.now - cancelled < .seconds(20))
      #expect(throws: TransportError.cancelled) { try result.get() }
      await harness.server.reached(.closed(1))
    }
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
    // Past its deadline it never goes out, and is refused as soon as the shutdown has begun.
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
