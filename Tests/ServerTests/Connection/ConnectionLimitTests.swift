import HTTPTypes
import Server
import Support
import Testing

@Suite(.timeLimit(.minutes(1))) struct ConnectionLimitTests {
  private static func limits(perClient: Int, countsLoopback: Bool, all: Int = 4096) -> ServerLimits {
    var limits = ServerLimits()
    (limits.connectionsPerClient, limits.countsLoopbackClients, limits.connections) = (perClient, countsLoopback, all)
    return limits
  }

  private static func isServed(_ client: RawClient) -> Bool {
    client.send(get("/"))
    return client.answer().status == 200
  }

  @Test func oneClientGetsItsShareAndItsPlacesBack() async throws {
    try await RunningServer.with(limits: Self.limits(perClient: 3, countsLoopback: true), respond: echo) { running in
      let port = running.port
      for _ in 0..<3 {
        try await RawClient.talk(port) { first in
          #expect(Self.isServed(first))
          let others = (0..<2).map { _ in RawClient(port: port) }
          for client in others { #expect(Self.isServed(client)) }
          // Closed without a response, which would cost too much.
          let tooMany = RawClient(port: port)
          tooMany.send(get("/"))
          #expect(tooMany.rest().isEmpty)
          // Connections accepted earlier are not affected; an optimized build would close those that are not used again.
          for client in [first] + others { #expect(Self.isServed(client)) }
        }
        await running.waitForConnections(0)
        await Self.waitForNoConnection(running.server.metrics)
      }
      let text = String(decoding: running.server.metrics.prometheusText(), as: UTF8.self)
      #expect(text.contains("http_connections_refused_total 3\n") && text.contains("http_connections_total 9\n"))
    }
  }

  @Test func clientsOnThisMachineAreExemptByDefault() async throws {
    try await RunningServer.with(limits: Self.limits(perClient: 1, countsLoopback: false), respond: echo) { running in
      let port = running.port
      try await RawClient.talk(port) { client in
        let others = (0..<5).map { _ in RawClient(port: port) }
        for other in others + [client] { #expect(Self.isServed(other)) }
      }
    }
  }

  @Test func aFloodBeyondTheLimitIsClosedWithoutAWordAndTheServerRecovers() async throws {
    try await RunningServer.with(limits: Self.limits(perClient: 0, countsLoopback: false, all: 2), respond: echo) { running in
      let port = running.port
      try await RawClient.talk(port) { client in
        let second = RawClient(port: port)
        #expect(Self.isServed(client) && Self.isServed(second))
        let flood = (0..<200).map { _ in RawClient(port: port) }
        // Some get 503, the rest are closed; all of them end, and the accepted ones continue.
        var refused = 0
        for other in flood { if other.answer().status == 503 { refused += 1 } }
        #expect(refused > 0 && refused <= 200)
        #expect(Self.isServed(client) && Self.isServed(second))
      }
      await Self.waitForNoConnection(running.server.metrics)
      try await RawClient.talk(port) { #expect(Self.isServed($0)) }
    }
  }

  private static func waitForNoConnection(_ metrics: ServerMetrics) async {
    await eventually { String(decoding: metrics.prometheusText(), as: UTF8.self).contains("http_connections 0\n") }
  }
}
