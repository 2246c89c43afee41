import Reactor
import Testing

/// Waiting for the peer to disconnect, as every long poll and event stream does.
@Suite(.timeLimit(.minutes(1))) struct PeerCloseWaitTests {
  @Test func everyCancelledWaitEndsWhereverTheCancelFalls() async throws {
    let ended = Signal<Int>()
    try await withListener(serve: { stream, loop in
      var count = 0
      for number in 0..<3000 {
        let watcher = Task(executorPreference: loop) { await stream.waitForPeerClose() }
        // Before the wait begins, as it suspends, and after it has suspended.
        for _ in 0..<(number % 4) { await Task.yield() }
        if number % 2 == 0 {
          watcher.cancel()
        } else {
          // From a thread of another executor, at a time of its own.
          Task.detached { watcher.cancel() }
        }
        await watcher.value
        count += 1
      }
      ended.fulfil(count)
    }) { listener, _ in
      let client = try BlockingClient(listener.localAddress)
      #expect(await ended.value == 3000)
      withExtendedLifetime(client) {}
    }
  }

  @Test func aPeerThatGoesEndsTheWaitThatFollowsACancelledOne() async throws {
    let isWaiting = Signal<Void>()
    let ended = Signal<Void>()
    try await withListener(serve: { stream, loop in
      let cancelled = Task(executorPreference: loop) { await stream.waitForPeerClose() }
      await Task.yield()
      cancelled.cancel()
      await cancelled.value
      isWaiting.fulfil()
      await stream.waitForPeerClose()
      ended.fulfil()
    }) { listener, _ in
      let client = try BlockingClient(listener.localAddress)
      await isWaiting.value
      client.shutdownWrite()
      await ended.value
    }
  }
}
