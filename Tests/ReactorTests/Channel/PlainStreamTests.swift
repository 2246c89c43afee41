import CLinux
import Glibc
import Reactor
import Support
import Locking
import Testing

@Suite(.timeLimit(.minutes(1)))
struct PlainStreamTests {
  @Test func oneMegabyteComesBackUnchanged() async throws {
    try await withListener(serve: echo) { listener, _ in
      let sent = pattern(1 << 20)
      let client = try BlockingClient(listener.localAddress)
      async let sending: Void = blocking {
        try client.send(sent)
        client.shutdownWrite()
      }
      let received = try await blocking { try client.receiveToEnd() }
      try await sending
      #expect(received == sent)
    }
  }

  @Test func aReadAndAWriteEndAtTheirDeadlines() async throws {
    let result = Signal<[StreamError?]>()
    try await withListener(serve: { stream, _ in
      let first = await readError(stream, deadline: .now + .milliseconds(30))
      let second = await readError(stream, deadline: .now + .milliseconds(30))
      var third: StreamError?
      do throws(StreamError) {
        try await stream.write([UInt8](repeating: 7, count: 64 << 20), deadline: .now + .milliseconds(200))
      } catch { third = error }
      result.fulfil([first, second, third])
    }) { listener, _ in
      let client = try BlockingClient(listener.localAddress)
      #expect(await result.value == [.timedOut, .timedOut, .timedOut])
      withExtendedLifetime(client) {}
    }
  }

  @Test func aLaterDeadlineReplacesAnEarlierOne() async throws {
    let result = Signal<(StreamError?, Duration)>()
    let ready = Signal<Void>()
    try await withListener(serve: { stream, _ in
      // Answered before its deadline, or else repeated; the second read must not end at the first one's.
      while await readError(stream, deadline: .now + .milliseconds(50)) == .timedOut {}
      let start = ContinuousClock.now
      ready.fulfil()
      let error = await readError(stream, deadline: .now + .milliseconds(200))
      result.fulfil((error, start.duration(to: .now)))
    }) { listener, _ in
      let client = try BlockingClient(listener.localAddress)
      try client.send("x")
      await ready.value
      let (error, time) = await result.value
      #expect(error == .timedOut)
      #expect(time >= .milliseconds(200))
    }
  }

  @Test func cancellationWakesASuspendedRead() async throws {
    let result = Signal<StreamError?>()
    let cancelledBefore = Signal<StreamError?>()
    try await withListener(serve: { stream, loop in
      let reader = Task(executorPreference: loop) { await readError(stream) }
      await Task.yield()
      reader.cancel()
      result.fulfil(await reader.value)
      let early = Task(executorPreference: loop) { await readError(stream) }
      early.cancel()
      cancelledBefore.fulfil(await early.value)
    }) { listener, _ in
      let client = try BlockingClient(listener.localAddress)
      #expect(await result.value == .cancelled)
      #expect(await cancelledBefore.value == .cancelled)
      withExtendedLifetime(client) {}
    }
  }

  @Test func cancellationFromAnotherThreadWakesASuspendedWrite() async throws {
    let task = Signal<Task<StreamError?, Never>>()
    try await withListener(serve: { stream, loop in
      let writer = Task(executorPreference: loop) { () -> StreamError? in
        do throws(StreamError) {
          let bytes = pattern(1 << 20)
          while true { try await stream.write(bytes, deadline: nil) }
        } catch { return error }
      }
      task.fulfil(writer)
      _ = await writer.value
    }) { listener, _ in
      let client = try BlockingClient(listener.localAddress)
      let writer = await task.value
      _ = try await blocking { try client.receive(exactly: 1000) }
      writer.cancel()
      #expect(await writer.value == .cancelled)
    }
  }

  @Test func afterTheClientsHalfCloseTheAnswerIsStillSent() async throws {
    try await withListener(serve: { stream, _ in
      var request: [UInt8] = []
      while ((try? await stream.read(into: &request, atMost: 100, deadline: nil)) ?? 0) > 0 {}
      try? await stream.write(pattern(500_000), deadline: nil)
    }) { listener, _ in
      let answer = try await blocking {
        let client = try BlockingClient(listener.localAddress)
        try client.send("question")
        client.shutdownWrite()
        return try client.receiveToEnd()
      }
      #expect(answer == pattern(500_000))
    }
  }

  @Test func aResetEndsAReadAndAWrite() async throws {
    let result = Signal<[StreamError?]>()
    let hasBegun = Signal<Void>()
    try await withListener(serve: { stream, _ in
      hasBegun.fulfil()
      let read = await readError(stream)
      var write: StreamError?
      do throws(StreamError) {
        for _ in 0..<3 { try await stream.write([1, 2, 3], deadline: nil) }
      } catch { write = error }
      result.fulfil([read, write])
    }) { listener, _ in
      let client = try BlockingClient(listener.localAddress)
      await hasBegun.value
      try client.reset()
      #expect(await result.value == [.reset, .reset])
    }
  }

  @Test func waitForPeerCloseNoticesAGoneClientWhileAWriterRuns() async throws {
    let gone = Signal<Void>()
    try await withListener(serve: { stream, loop in
      await withTaskGroup(of: Void.self) { group in
        group.addTask(executorPreference: loop) { await stream.waitForPeerClose() }
        group.addTask(executorPreference: loop) { await untilCancelled() }
        await group.next()
        group.cancelAll()
      }
      gone.fulfil()
    }) { listener, _ in
      let client = try BlockingClient(listener.localAddress)
      // Unread bytes must not hide the close.
      try client.send("unread")
      client.shutdownWrite()
      await gone.value
    }
  }

  @Test func aGoneClientDoesNotKeepTheLoopAwakeWhileNobodyWaits() async throws {
    let inside = Signal<Void>()
    let leave = Signal<Void>()
    try await withListener(serve: { stream, _ in
      _ = await readError(stream, deadline: .now + .milliseconds(1))
      inside.fulfil()
      // Suspended once, so that the descriptor is watched.
      await leave.value
    }) { listener, group in
      let client = try BlockingClient(listener.localAddress)
      await inside.value
      try client.reset()
      let loop = try #require(group.loops.first)
      let before = await Task(executorPreference: loop) { threadTime() }.value
      let pause = Signal<Void>()
      loop.schedule(at: .now + .milliseconds(200)) { pause.fulfil() }
      await pause.value
      let after = await Task(executorPreference: loop) { threadTime() }.value
      #expect(after - before < 20_000_000, "the loop spun for \(after - before) ns of 200 ms")
      leave.fulfil()
    }
  }

  @Test func closingWakesASuspendedReadAndIsSafeTwice() async throws {
    let result = Signal<[StreamError?]>()
    try await withListener(serve: { stream, loop in
      let reader = Task(executorPreference: loop) { await readError(stream) }
      await Task.yield()
      stream.close()
      stream.close()
      await stream.closeLingering()
      await stream.waitForPeerClose()
      result.fulfil([await reader.value, await readError(stream)])
    }) { listener, _ in
      let client = try BlockingClient(listener.localAddress)
      #expect(try await blocking { try client.receiveToEnd() } == [])
      #expect(await result.value == [.closed, .closed])
    }
  }

  @Test func aLingeringCloseDeliversTheAnswerToAClientThatIsStillSending() async throws {
    let answer = Array("too large".utf8)
    try await withListener(serve: { stream, _ in
      _ = await readError(stream)
      try? await stream.write(answer, deadline: nil)
      await stream.closeLingering()
    }) { listener, _ in
      let received = try await blocking {
        let client = try BlockingClient(listener.localAddress)
        for _ in 0..<20 { try client.send(pattern(2_000)) }
        return try client.receiveToEnd()
      }
      #expect(received == answer)
    }
  }

  @Test func aLingeringCloseEndsAfterASecond() async throws {
    let time = Signal<Duration>()
    try await withListener(serve: { stream, _ in
      let start = ContinuousClock.now
      await stream.closeLingering()
      time.fulfil(start.duration(to: .now))
    }) { listener, _ in
      let client = try BlockingClient(listener.localAddress)
      #expect(await time.value > .milliseconds(900))
      withExtendedLifetime(client) {}
    }
  }

  @Test func idleReadsAreInterruptedAndOthersAreNot() async throws {
    let idle = Signal<StreamError?>()
    let busy = Signal<String>()
    let started = Locked(0)
    let bothStarted = Signal<Void>()
    try await withListener(serve: { stream, _ in
      var kind: [UInt8] = []
      _ = try? await stream.read(into: &kind, atMost: 1, deadline: nil)
      if started.withLock({
        $0 += 1; return $0
      }) == 2 {
        bothStarted.fulfil()
      }
      if kind == Array("i".utf8) {
        stream.interruptsIdleReads = true
        idle.fulfil(await readError(stream))
      } else {
        var rest: [UInt8] = []
        _ = try? await stream.read(into: &rest, atMost: 100, deadline: nil)
        busy.fulfil(String(decoding: rest, as: UTF8.self))
      }
    }) { listener, group in
      let first = try BlockingClient(listener.localAddress)
      let second = try BlockingClient(listener.localAddress)
      try first.send("i")
      try second.send("b")
      await bothStarted.value
      group.interruptIdleReads()
      #expect(await idle.value == .stopping)
      try second.send("rest")
      #expect(await busy.value == "rest")
    }
  }

  @Test func aConnectionThatNeverWaitsDoesNotStarveAnother() async throws {
    try await withListener(serve: echo) { listener, _ in
      let greedy = try BlockingClient(listener.localAddress)
      let flood = Task.detached {
        try? await blocking { while true { try greedy.send(pattern(1 << 16)); _ = try greedy.receive() } }
      }
      let answer = try await blocking {
        let client = try BlockingClient(listener.localAddress)
        try client.send("hello")
        return try client.receiveText(exactly: 5)
      }
      #expect(answer == "hello")
      try greedy.reset()
      _ = await flood.value
    }
  }
}

/// Nanoseconds of processor time that the calling thread has used.
func threadTime() -> Int {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return time.tv_sec * 1_000_000_000 + time.tv_nsec
}
