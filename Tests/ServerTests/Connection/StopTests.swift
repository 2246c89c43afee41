import HTTPTypes
import Logging
import Server
import Support
import Testing

@Suite(.timeLimit(.minutes(1))) struct StopTests {
  @Test func idleConnectionsCloseAtOnce() async throws {
    try await RunningServer.with(respond: echo) { running in
      let (ready, sink) = AsyncStream.makeStream(of: Void.self)
      async let closed = RawClient.talk(running.port) { client in
        client.send(get("/"))
        _ = client.answer()
        sink.yield()
        return client.isClosed()
      }
      _ = await ready.first { _ in true }
      // If it waited until then, the suite's time limit would end the test.
      await running.server.stop(within: .seconds(3600))
      let wasClosed = try await closed
      #expect(wasClosed)
    }
  }

  @Test func requestsUnderWayAreFinishedAndTheConnectionEnds() async throws {
    let (entered, enter) = AsyncStream.makeStream(of: Void.self)
    let (gate, open) = AsyncStream.makeStream(of: Void.self)
    try await RunningServer.with(respond: { _ in
      enter.yield()
      for await _ in gate { break }
      return .text("done")
    }) { running in
      async let answer = RawClient.talk(running.port) { client in
        client.send(get("/"))
        let answer = client.answer()
        return (answer.text, answer["connection"], client.isClosed())
      }
      for await _ in entered { break }
      async let stopped: Void = running.server.stop(within: .seconds(3600))
      // The gate opens only after the stop has begun, which the count shows.
      await running.waitForConnections(0)
      open.yield()
      let (text, connection, isClosed) = try await answer
      #expect(text == "done" && connection == "close" && isClosed)
      await stopped
    }
  }

  @Test func aStuckHandlerDoesNotHoldTheStop() async throws {
    let (entered, enter) = AsyncStream.makeStream(of: Void.self)
    try await RunningServer.with(respond: { _ in
      enter.yield()
      await untilCancelled()
      return .text("late")
    }) { running in
      async let rest = RawClient.talk(running.port) { client in
        client.send(get("/"))
        return client.rest().count
      }
      for await _ in entered { break }
      await running.server.stop(within: .milliseconds(100))
      let received = try await rest
      #expect(received == 0)
    }
  }

  @Test func aBusyPortFails() async throws {
    try await RunningServer.with(respond: echo) { running in
      let second = HTTPServer(
        configuration: .init(addresses: [("127.0.0.1", running.port)]), logger: .init(label: "test"), respond: echo)
      await #expect(throws: ServerError.self) { try await second.start() }
      let third = HTTPServer(configuration: .init(addresses: [("localhost", 0)]), logger: .init(label: "test"), respond: echo)
      await #expect(throws: ServerError.invalidAddress("localhost")) { try await third.start() }
    }
  }
}
