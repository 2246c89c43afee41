import HTTPTypes
import Reactor
import Server
import Support
import Testing

@Suite(.timeLimit(.minutes(1))) struct TimeoutTests {
  @Test func slowHeadGets408HoweverOftenAByteComes() async throws {
    var limits = ServerLimits()
    limits.headTimeout = .milliseconds(300)
    try await RunningServer.with(limits: limits, respond: echo) { running in
      try await RawClient.talk(running.port) { client in
        client.send("GET / HTTP/1.1\r\nHost: a\r\nX: ")
        // A byte after each receive that times out, until the response or the end of the connection.
        OwnThread.wait { client.waitReadable(milliseconds: 20) || !client.send("a") }
        let answer = client.answer()
        #expect(answer.status == 408 && answer["connection"] == "close")
      }
    }
  }

  @Test func idleConnectionsAreClosedWithoutAWord() async throws {
    var limits = ServerLimits()
    limits.idleTimeout = .milliseconds(500)
    try await RunningServer.with(limits: limits, respond: echo) { running in
      try await RawClient.talk(running.port) { client in
        #expect(client.isClosed())
      }
      try await RawClient.talk(running.port) { client in
        client.send(get("/"))
        #expect(client.answer().status == 200)
        #expect(client.isClosed())
      }
    }
  }

  @Test func slowBodyTimesOut() async throws {
    var limits = ServerLimits()
    limits.bodyTimeout = .milliseconds(150)
    try await RunningServer.with(limits: limits, respond: echo) { running in
      try await RawClient.talk(running.port) { client in
        client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\na")
        let answer = client.answer()
        #expect(answer.status == 408 && answer.text == "timedOut")
        #expect(client.isClosed())
      }
    }
  }

  @Test func stalledReaderIsCutOff() async throws {
    var limits = ServerLimits()
    limits.writeTimeout = .milliseconds(200)
    let (errors, sink) = AsyncStream.makeStream(of: String.self)
    try await RunningServer.with(
      limits: limits,
      respond: { _ in
        Response(
          status: .ok,
          body: .stream(length: nil) { writer in
            do {
              while true { try await writer.write([UInt8](repeating: 1, count: 100_000)) }
            } catch {
              sink.yield("\(error)")
              throw error
            }
          })
      }
    ) { running in
      // Nothing is read, and the connection stays open on this side.
      let client = RawClient(port: running.port, receiveBuffer: 4096)
      client.send(get("/"))
      #expect(await errors.first { _ in true } == "timedOut")
      await running.waitForConnections(0)
      client.close()
    }
  }
}
