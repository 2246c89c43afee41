import HTTPTypes
import Server
import Support
import Testing

/// All request bodies share a budget of bytes.
@Suite(.timeLimit(.minutes(1))) struct BodyBudgetTests {
  private func post(_ count: Int, _ fields: String = "") -> String {
    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(count)\r\n\(fields)\r\n"
  }

  private func used(_ running: RunningServer) -> Int? { running.server.bounds.first { $0.name == "bodies_bytes" }?.used }

  private func wait(until used: Int, _ running: RunningServer) async {
    await eventually { self.used(running) == used }
  }

  private var limits: ServerLimits {
    var limits = ServerLimits()
    limits.bodies = 10_000
    return limits
  }

  @Test func beyondItABodyIsRefusedAndWhatWasTakenComesBack() async throws {
    try await RunningServer.with(limits: limits, respond: echo) { running in
      _ = try await RawClient.talk(running.port) { client in
        client.send(post(9000) + String(repeating: "a", count: 8000))
      }
      // A disconnected client releases the bytes it sent.
      await wait(until: 0, running)
      try await RawClient.talk(running.port) { client in
        client.send(post(10_001) + String(repeating: "a", count: 10_001))
        let answer = client.answer()
        #expect(answer.status == 503 && answer["connection"] == "close")
      }
      await wait(until: 0, running)
      try await RawClient.talk(running.port) { client in
        for _ in 0..<3 {
          client.send(post(10_000) + String(repeating: "a", count: 10_000))
          #expect(client.answer().status == 200)
        }
      }
      #expect(used(running) == 0)
    }
  }

  @Test func itCountsUntilTheHandlerIsThrough() async throws {
    let (entered, enter) = AsyncStream.makeStream(of: Void.self)
    let (go, leave) = AsyncStream.makeStream(of: Void.self)
    let gate = Task { _ = await go.first { _ in true } }
    try await RunningServer.with(
      limits: limits,
      respond: { request in
        let answer = await echo(request)
        if request.path == "/slow" {
          enter.yield()
          await gate.value
        }
        return answer
      }
    ) { running in
      async let slow: Void = RawClient.talk(running.port) { client in
        client.send("POST /slow HTTP/1.1\r\nHost: a\r\nContent-Length: 6000\r\n\r\n" + String(repeating: "a", count: 6000))
        #expect(client.answer().status == 200)
      }
      _ = await entered.first { _ in true }
      #expect(used(running) == 6000)
      try await RawClient.talk(running.port) { client in
        client.send(post(5000) + String(repeating: "a", count: 5000))
        #expect(client.answer().status == 503)
      }
      leave.yield()
      try await slow
      await wait(until: 0, running)
      try await RawClient.talk(running.port) { client in
        client.send(post(5000) + String(repeating: "a", count: 5000))
        #expect(client.answer().status == 200)
      }
    }
  }

  @Test func whatIsAnnouncedAboveTheHandlersLimitIsNotWaitedFor() async throws {
    try await RunningServer.with(
      respond: { request in
        do throws(BodyError) { return .text("\(try await request.body.collect(upTo: 100).count)") } catch {
          return .text("\(error)", status: error == .tooLarge ? .contentTooLarge : .badRequest)
        }
      }
    ) { running in
      try await RawClient.talk(running.port) { client in
        client.send(post(101, "Expect: 100-continue\r\n"))
        #expect(client.answer().status == 413)
      }
      try await RawClient.talk(running.port) { client in
        client.send(post(100) + String(repeating: "a", count: 100))
        #expect(client.answer().text == "100")
      }
    }
  }
}
