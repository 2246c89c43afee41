import HTTPTypes
import Server
import Testing

@Suite(.timeLimit(.minutes(1))) struct BodyTests {
  private func post(_ fields: String) -> String { "POST / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n" }

  @Test func continuesOnlyWhenTheBodyIsWanted() async throws {
    try await RunningServer.with(respond: echo) { running in
      let post = post("Expect: 100-continue\r\nContent-Length: 3\r\n")
      try await RawClient.talk(running.port) { client in
        client.send(post)
        #expect(client.read(through: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
        client.send("abc")
        #expect(client.answer().text == "POST / - abc")
        client.send(get("/"))
        #expect(client.answer().status == 200)
      }
    }
    try await RunningServer.with(respond: { _ in .text("no", status: .unauthorized) }) { running in
      let post = post("Expect: 100-continue\r\nContent-Length: 3\r\n")
      try await RawClient.talk(running.port) { client in
        client.send(post)
        let answer = client.answer()
        #expect(answer.status == 401 && answer["connection"] == "close")
        #expect(client.isClosed())
      }
    }
  }

  @Test func noContinueForABodyThatIsThere() async throws {
    try await RunningServer.with(respond: echo) { running in
      let post = post("Expect: 100-continue\r\nContent-Length: 3\r\n")
      try await RawClient.talk(running.port) { client in
        client.send(post + "abc")
        #expect(client.answer().status == 200)
      }
    }
  }

  @Test func announcedSizeIsRefusedBeforeItIsRead() async throws {
    var limits = ServerLimits()
    limits.body = 1000
    try await RunningServer.with(limits: limits, respond: { _ in .text("handler was called") }) { running in
      let post = post("Content-Length: 20000000\r\n")
      try await RawClient.talk(running.port) { client in
        client.send(post)
        // The client keeps sending for a while, and must nevertheless be able to read the response.
        client.send([UInt8](repeating: 0x61, count: 60_000))
        let answer = client.answer()
        #expect(answer.status == 413 && answer["connection"] == "close")
        #expect(client.isClosed())
      }
    }
  }

  @Test func chunksOverTheLimitAreRefused() async throws {
    var limits = ServerLimits()
    limits.body = 1000
    try await RunningServer.with(limits: limits, respond: echo) { running in
      let post = post("Transfer-Encoding: chunked\r\n")
      try await RawClient.talk(running.port) { client in
        client.send(post + "3e8\r\n" + String(repeating: "a", count: 1000) + "\r\n0\r\n\r\n")
        #expect(client.answer().status == 200)
        client.send(post + "3e8\r\n" + String(repeating: "a", count: 1000) + "\r\n1\r\nb\r\n0\r\n\r\n")
        #expect(client.answer().status == 413)
        #expect(client.isClosed())
      }
    }
  }

  @Test func malformedChunksReachTheHandlerAsAnError() async throws {
    try await RunningServer.with(respond: echo) { running in
      let post = post("Transfer-Encoding: chunked\r\n")
      try await RawClient.talk(running.port) { client in
        client.send(post + "0x1\r\na\r\n0\r\n\r\n" + get("/smuggled"))
        let answer = client.answer()
        #expect(answer.status == 400 && answer.text == "malformed")
        #expect(client.rest().isEmpty)
      }
    }
  }

  @Test func smallUnreadBodiesKeepTheConnection() async throws {
    try await RunningServer.with(respond: { request in .text(request.path) }) { running in
      let post = post("Content-Length: 30000\r\n")
      try await RawClient.talk(running.port) { client in
        client.send(post)
        #expect(client.answer().text == "/")
        client.send([UInt8](repeating: 0x61, count: 30_000))
        client.send(get("/next"))
        #expect(client.answer().text == "/next")
      }
    }
  }

  @Test func largeUnreadBodiesEndTheConnection() async throws {
    try await RunningServer.with(respond: { _ in .text("no") }) { running in
      let post = post("Content-Length: 900000\r\n")
      try await RawClient.talk(running.port) { client in
        client.send(post)
        #expect(client.answer()["connection"] == "close")
        #expect(client.isClosed())
      }
    }
  }

  @Test func bodyIsReadOnce() async throws {
    try await RunningServer.with(respond: { request in
      let first = (try? await request.body.collect(upTo: 100)) ?? []
      do {
        _ = try await request.body.collect(upTo: 100)
        return .text("twice")
      } catch {
        return .text("\(first.count) \(error)")
      }
    }) { running in
      let post = post("Content-Length: 2\r\n")
      try await RawClient.talk(running.port) { client in
        client.send(post + "ab")
        #expect(client.answer().text == "2 disconnected")
      }
    }
  }

  @Test func bodyCanBeReadFromAnActor() async throws {
    actor Reader {
      func read(_ request: Request) async -> Int { (try? await request.body.collect(upTo: 1 << 20))?.count ?? -1 }
    }
    let reader = Reader()
    try await RunningServer.with(respond: { .text("\(await reader.read($0))") }) { running in
      let post = post("Content-Length: 500000\r\n")
      try await RawClient.talk(running.port) { client in
        client.send(post)
        client.send([UInt8](repeating: 1, count: 500_000))
        #expect(client.answer().text == "500000")
        client.send(get("/"))
        #expect(client.answer().text == "0")
      }
    }
  }

  @Test func goneSenderIsNoticed() async throws {
    let (errors, sink) = AsyncStream.makeStream(of: BodyError.self)
    try await RunningServer.with(respond: { request in
      do throws(BodyError) { _ = try await request.body.collect(upTo: 100) } catch { sink.yield(error) }
      return .text("")
    }) { running in
      let post = post("Content-Length: 10\r\n")
      try await RawClient.talk(running.port) { client in
        client.send(post + "abc")
        client.close()
      }
      #expect(await errors.first { _ in true } == .disconnected)
    }
  }
}
