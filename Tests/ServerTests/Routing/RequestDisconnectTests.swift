import HTTPTypes
import Server
import Support
import Testing

@Suite(.timeLimit(.minutes(1))) struct ClientPresenceTests {
  @Test(arguments: [false, true]) func workEndsWhenItsClientLeaves(byReset: Bool) async throws {
    let (begun, begin) = AsyncStream.makeStream(of: Void.self)
    let (ended, end) = AsyncStream.makeStream(of: Bool.self)
    try await RunningServer.with(respond: { request in
      await request.cancellingOnDisconnect {
        begin.yield()
        await untilCancelled()
        end.yield(Task.isCancelled)
        return .text("late")
      }
    }) { running in
      let left: Void = try await RawClient.talk(running.port) { client in
        client.send(get("/"))
        while !client.waitReadable(milliseconds: 1), running.server.connectionCount == 0 {}
        _ = client
        if byReset { client.reset() }
      }
      _ = left
      for await _ in begun { break }
      for await wasCancelled in ended {
        #expect(wasCancelled)
        break
      }
      await running.waitForConnections(0)
    }
  }

  @Test func aClientThatStaysGetsItsAnswersOneAfterTheOther() async throws {
    try await RunningServer.with(respond: { request in
      await request.cancellingOnDisconnect {
        await Task.yield()
        return .text(request.path)
      }
    }) { running in
      let texts = try await RawClient.talk(running.port) { client in
        // In one batch, so that a watcher that ends late would collide with the next one.
        client.send((0..<200).map { get("/\($0)") }.joined())
        return (0..<200).map { _ in client.answer().text }
      }
      #expect(texts == (0..<200).map { "/\($0)" })
    }
  }
}
