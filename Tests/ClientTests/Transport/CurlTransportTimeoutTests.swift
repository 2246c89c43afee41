import HTTPTypes
import Testing

@testable import Client

@Suite(.timeLimit(.minutes(1))) struct CurlTransportTimeoutTests {
  @Test func aHandshakeThatStandsStillEndsWithTheConnectTimeout() async throws {
    let harness = try TransportHarness(connectTimeout: .milliseconds(150)) { $0.waitForEnd() }
    try await harness.use { harness in
      await #expect(throws: TransportError.timedOut(.connect)) { try await harness.send(idleTimeout: .milliseconds(10)) }
    }
  }

  @Test func silenceEndsWithTheIdleTimeout() async throws {
    let harness = try TransportHarness { connection in
      guard connection.handshake(), connection.readRequest() != nil else { return }
      connection.waitForEnd()
    }
    try await harness.use { harness in
      let begun = ContinuousClock.now
      await #expect(throws: TransportError.timedOut(.idle)) { try await harness.send(idleTimeout: .milliseconds(150)) }
      #expect(ContinuousClock.now - begun >= .milliseconds(150))
      await harness.server.reached(.closed(1))
    }
  }

  /// The bytes of the request are no sign of life of the backend.
  @Test func silenceAfterABodyEndsWithTheIdleTimeoutToo() async throws {
    let harness = try TransportHarness { connection in
      guard connection.handshake(), connection.readRequest() != nil else { return }
      connection.waitForEnd()
    }
    try await harness.use { harness in
      await #expect(throws: TransportError.timedOut(.idle)) {
        try await harness.send(.post, body: Array("{}".utf8), idleTimeout: .seconds(2), within: .milliseconds(3900))
      }
    }
  }

  @Test func silenceInTheMiddleOfABodyEndsWithTheIdleTimeout() async throws {
    let harness = try TransportHarness { connection in
      guard connection.handshake(), connection.readRequest() != nil else { return }
      connection.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort")
      connection.waitForEnd()
    }
    try await harness.use { harness in
      await #expect(throws: TransportError.timedOut(.idle)) { try await harness.send(idleTimeout: .milliseconds(150)) }
    }
  }

  @Test func theDeadlineEndsAnAttemptThatIsAlive() async throws {
    let harness = try TransportHarness(responseLimit: .max) { connection in
      guard connection.handshake(), connection.readRequest() != nil else { return }
      connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
      while connection.write("1\r\nx\r\n") {}
    }
    try await harness.use { harness in
      await #expect(throws: TransportError.timedOut(.deadline)) {
        try await harness.send(idleTimeout: .milliseconds(500), within: .milliseconds(700))
      }
    }
  }

  @Test func aDeadlineInThePastSendsNothing() async throws {
    let harness = try TransportHarness { $0.serve { _ in } }
    try await harness.use { harness in
      await #expect(throws: TransportError.timedOut(.deadline)) { try await harness.send(within: .zero) }
      #expect(harness.server.connections == 0)
    }
  }
}
