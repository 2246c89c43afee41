import HTTPTypes
import Locking
import Server
import Support
import Testing

@Suite(.timeLimit(.minutes(1))) struct ClientPresenceTests {
  @Test(arguments: [false, true]) func workEndsWhenItsClientLeaves(byReset: Bool) async throws {
    let hasBegun = Locked(false)
    let (ended, end) = AsyncStream.makeStream(of: Bool.self)
    try await RunningServer.with(respond: { request in
      await request.cancellingOnDisconnect {
        hasBegun.withLock { $0 = true }
        await untilCancelled()
        end.yield(Task.isCancelled)
        return .text("late")
      }
    }) { running in
      try await RawClient.talk(running.port) { client in
        client.send(get("/"))
        // A reset would discard a request that has not been read.
        OwnThread.wait { hasBegun.withLock { $0 } }
        if byReset { client.reset() }
      }
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
