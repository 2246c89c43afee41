import HTTPTypes
import Server
import Testing

@Suite(.timeLimit(.minutes(1))) struct ConnectionTests {
  @Test func keepsAConnectionForManyRequests() async throws {
    try await RunningServer.with(respond: echo) { running in
      try await RawClient.talk(running.port) { client in
        for number in 0..<50 {
          client.send(get("/a?\(number)"))
          let answer = client.answer()
          #expect(answer.status == 200 && answer.text == "GET /a \(number) ")
          #expect(answer["date"]?.hasSuffix("GMT") == true && answer["connection"] == nil)
          #expect(answer["x-content-type-options"] == "nosniff")
        }
        client.send(get("/", "Connection: close\r\n"))
        #expect(client.answer()["connection"] == "close")
        #expect(client.isClosed())
      }
    }
  }

  @Test func answersABatchInOrderWithOneWrite() async throws {
    try await RunningServer.with(respond: echo) { running in
      try await RawClient.talk(running.port) { client in
        client.send((0..<16).map { get("/\($0)") }.joined())
        let first = client.receive().map { String(decoding: $0, as: UTF8.self) } ?? ""
        let order = first.split(separator: "\r\n").filter { $0.hasPrefix("GET /") || $0.contains("GET /") }
        #expect(first.split(separator: "HTTP/1.1 200 OK").count == 16)
        #expect(order.count == 16)
        for number in 0..<16 { #expect(order[number].contains("GET /\(number) ")) }
      }
    }
  }

  @Test func pipelinedBodiesDoNotMix() async throws {
    try await RunningServer.with(respond: echo) { running in
      try await RawClient.talk(running.port) { client in
        client.send(
          "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc"
            + "POST /b HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
            + "2\r\nde\r\n1\r\nf\r\n0\r\n\r\n" + get("/c"))
        #expect(client.answer().text == "POST /a - abc")
        #expect(client.answer().text == "POST /b - def")
        #expect(client.answer().text == "GET /c - ")
      }
    }
  }

  @Test func oneByteAtATimeIsTheSame() async throws {
    try await RunningServer.with(respond: echo) { running in
      try await RawClient.talk(running.port) { client in
        for byte in "POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n".utf8 {
          client.send([byte])
        }
        #expect(client.answer().text == "POST /a - abc")
      }
    }
  }

  @Test func headHasTheLengthButNoBody() async throws {
    try await RunningServer.with(respond: { _ in .text("hello") }) { running in
      try await RawClient.talk(running.port) { client in
        client.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n" + get("/"))
        let head = client.answer(hasBody: false)
        #expect(head["content-length"] == "5")
        #expect(client.answer().text == "hello")
      }
    }
  }

  @Test(arguments: [204, 304])
  func bodylessStatusesCarryNothing(_ code: Int) async throws {
    try await RunningServer.with(respond: { _ in .text("hello", status: .init(code: code)) }) { running in
      try await RawClient.talk(running.port) { client in
        client.send(get("/") + get("/"))
        let first = client.answer()
        #expect(first.status == code && first["content-length"] == nil && first["transfer-encoding"] == nil)
        #expect(client.answer().status == code)
      }
    }
  }

  @Test func answersAfterHalfClose() async throws {
    let large = [UInt8](repeating: 0x61, count: 3_000_000)
    try await RunningServer.with(respond: { _ in Response(status: .ok, body: .bytes(large)) }) { running in
      try await RawClient.talk(running.port) { client in
        client.send(get("/"))
        client.shutdownWrite()
        #expect(client.answer().body == large)
        #expect(client.isClosed())
      }
    }
  }

  @Test(arguments: [
    ("GET / HTTP/1.1\r\n\r\n", 400), ("GET / HTTP/1.1\nHost: a\n\n", 400), ("GET / HTTP/2.0\r\n", 505),
    ("GET /\(String(repeating: "a", count: 9000)) HTTP/1.1\r\n", 414), ("\u{16}\u{3}\u{1}", 400),
    ("GET / HTTP/1.1\r\nHost: a\r\n\(String(repeating: "A: b\r\n", count: 200))\r\n", 431),
    ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", 501),
    ("POST / HTTP/1.1\r\nHost: a\r\nExpect: x\r\nContent-Length: 1\r\n\r\n", 417),
  ])
  func refusalsAreWholeAnswers(_ text: String, _ status: Int) async throws {
    try await RunningServer.with(respond: echo) { running in
      try await RawClient.talk(running.port) { client in
        client.send(text)
        let answer = client.answer()
        #expect(answer.status == status && answer.isWhole)
        #expect(answer["connection"] == "close" && answer["x-content-type-options"] == "nosniff" && answer["date"] != nil)
        #expect(client.isClosed())
      }
    }
  }

  @Test func goodRequestsBeforeABadOneAreAnswered() async throws {
    try await RunningServer.with(respond: echo) { running in
      try await RawClient.talk(running.port) { client in
        client.send(get("/a") + "X Y Z\r\n\r\n" + get("/b"))
        #expect(client.answer().status == 200)
        #expect(client.answer().status == 400)
        #expect(client.rest().isEmpty)
      }
    }
  }

  @Test func unsafeAnswersBecome500() async throws {
    try await RunningServer.with(respond: { _ in
      var fields = HTTPFields()
      fields.append(HTTPField(name: .location, lenientValue: [0x2F, 0x1B]))
      return Response(status: .ok, headers: fields, body: .bytes([1]))
    }) { running in
      try await RawClient.talk(running.port) { client in
        client.send(get("/"))
        #expect(client.answer().status == 500)
        #expect(client.isClosed())
      }
    }
  }

  @Test func aResetHurtsNobody() async throws {
    let large = [UInt8](repeating: 0x61, count: 8_000_000)
    try await RunningServer.with(respond: { _ in Response(status: .ok, body: .bytes(large)) }) { running in
      for _ in 0..<10 {
        try await RawClient.talk(running.port, receiveBuffer: 4096) { client in
          client.send(get("/"))
          _ = client.receive()
          client.reset()
        }
      }
      await running.waitForConnections(0)
      try await RawClient.talk(running.port) { client in
        client.send(get("/"))
        #expect(client.answer().body.count == large.count)
      }
    }
  }

  @Test func oneConnectionTooManyGets503() async throws {
    var limits = ServerLimits()
    limits.connections = 1
    try await RunningServer.with(limits: limits, respond: echo) { running in
      try await RawClient.talk(running.port) { first in
        first.send(get("/"))
        #expect(first.answer().status == 200)
        let second = RawClient(port: running.port)
        let answer = second.answer()
        #expect(answer.status == 503 && answer["x-content-type-options"] == "nosniff")
        first.send(get("/"))
        #expect(first.answer().status == 200)
      }
    }
  }
}
