import HTTPTypes
import Support
import Testing

@testable import Client

@Suite(.timeLimit(.minutes(1))) struct CurlTransportReplayTests {
  /// Answers the first request of the first connection, reads the second and closes; later connections work.
  private static func dieOnReuse(_ connection: ScriptedConnection) {
    guard connection.number == 1 else { return connection.serve { _ in connection.respond() } }
    guard connection.handshake(), connection.readRequest() != nil else { return }
    connection.respond()
    _ = connection.readRequest()
  }

  @Test func aPostThatIsLostOnAReusedConnectionIsSentOnce() async throws {
    let harness = try TransportHarness(script: Self.dieOnReuse)
    try await harness.use { harness in
      _ = try await harness.send(.get, "/first")
      await #expect(throws: TransportError.connectionLost(mayHaveBeenProcessed: true)) {
        try await harness.send(.post, "/pay", body: [1], isReplayable: false)
      }
      #expect(harness.server.requests.map(\.requestLine) == ["GET /first HTTP/1.1", "POST /pay HTTP/1.1"])
    }
  }

  /// Proves that the guard prevents it: libcurl by itself sends a POST twice that is declared replayable.
  @Test func withoutTheGuardThePostIsSentTwice() async throws {
    let harness = try TransportHarness(script: Self.dieOnReuse)
    try await harness.use { harness in
      _ = try await harness.send(.get, "/first")
      #expect(try await harness.send(.post, "/pay", body: [1], isReplayable: true).status == 200)
      #expect(harness.server.requests.map(\.requestLine) == ["GET /first HTTP/1.1", "POST /pay HTTP/1.1", "POST /pay HTTP/1.1"])
    }
  }

  /// libcurl 7.88 takes a socket with a pending close_notify for alive, so requests that are sent once use young connections
  /// only.
  @Test func aPostDoesNotMeetAConnectionThatTheServerClosedWhileItWasIdle() async throws {
    let closed = ThreadGate()
    let harness = try TransportHarness(unsafeReuseAge: .seconds(1)) { connection in
      guard connection.handshake(), connection.readRequest() != nil else { return }
      connection.respond()
      // libcurl drops the fraction of a second.
      if connection.number == 1 { connection.closeWhenIdle(milliseconds: 2900) }
      closed.open()
    }
    try await harness.use { harness in
      _ = try await harness.send(.get, "/first")
      try await OwnThread.run { closed.wait() }
      #expect(try await harness.send(.post, "/pay", body: [1]).status == 200)
      #expect(harness.server.requests.map(\.requestLine) == ["GET /first HTTP/1.1", "POST /pay HTTP/1.1"])
    }
  }

  @Test func aGetMayBeSentAgain() async throws {
    let harness = try TransportHarness(script: Self.dieOnReuse)
    try await harness.use { harness in
      _ = try await harness.send(.get, "/first")
      #expect(try await harness.send(.get, "/list", isReplayable: true).status == 200)
      #expect(harness.server.requests.map(\.requestLine).suffix(2) == ["GET /list HTTP/1.1", "GET /list HTTP/1.1"])
    }
  }

  @Test func aPostThatIsLostOnAFreshConnectionIsSentOnce() async throws {
    let harness = try TransportHarness { connection in
      if connection.handshake() { _ = connection.readRequest() }
    }
    try await harness.use { harness in
      await #expect(throws: TransportError.connectionLost(mayHaveBeenProcessed: true)) {
        try await harness.send(.post, "/pay", body: [1])
      }
      #expect(harness.server.requests.count == 1)
    }
  }

  /// The second connection fails after the first had read the request: "offline" would be wrong.
  @Test func aServerThatGoesAwayWithThePostIsNotOffline() async throws {
    let gate = ThreadGate()
    let harness = try TransportHarness { connection in
      guard connection.handshake(), connection.readRequest() != nil else { return }
      connection.respond()
      guard connection.readRequest() != nil else { return }
      gate.wait()
    }
    try await harness.use { harness in
      _ = try await harness.send(.get, "/first")
      let call = Task { try await harness.send(.post, "/pay", body: [1]) }
      await harness.server.reached(.request(2))
      harness.server.stopListening()
      gate.open()
      let result = await call.result
      #expect(throws: TransportError.connectionLost(mayHaveBeenProcessed: true)) { try result.get() }
      #expect(harness.server.requests.count == 2)
    }
  }

  @Test func aPostGoesOutOnANewConnectionWhereTheOldOneWasResetWhileIdle() async throws {
    let gate = ThreadGate()
    let harness = try TransportHarness { connection in
      guard connection.number == 1 else { return connection.serve { _ in connection.respond() } }
      guard connection.handshake(), connection.readRequest() != nil else { return }
      connection.respond()
      gate.wait()
      connection.endWithReset()
    }
    try await harness.use { harness in
      _ = try await harness.send(.post, "/first", body: [1])
      gate.open()
      await harness.server.reached(.closed(1))
      let response = try await harness.send(.post, "/second", body: [1])
      #expect(response.status == 200)
      #expect(harness.server.connections == 2)
    }
  }
}
