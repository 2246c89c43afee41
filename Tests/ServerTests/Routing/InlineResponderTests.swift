import HTTPTypes
import Server
import Locking
import Support
import Testing
import Text
import Wire

@Suite(.timeLimit(.minutes(1))) struct InlineResponderTests {
  private static let fixed: Response = {
    var response = Response.text("ready")
    response.route = "/ready"
    return response
  }()
  private static let large = Response(status: .ok, body: .bytes((0..<1_500_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }))

  /// How often the handler was called.
  private final class Handler: Sendable {
    let calls = AtomicCounter()
    let ready = PreparedResponse(InlineResponderTests.fixed)
    let large = PreparedResponse(InlineResponderTests.large)

    @Sendable func inlineResponder(_ view: borrowing RequestView, _ instant: ContinuousClock.Instant) -> PreparedResponse? {
      view.isPath("/ready") ? ready : view.isPath("/large") ? large : nil
    }

    @Sendable func respond(_ request: Request) async -> Response {
      calls.add()
      return request.path == "/ready"
        ? InlineResponderTests.fixed : request.path == "/large" ? InlineResponderTests.large : await echo(request)
    }
  }

  private static func with(
    limits: ServerLimits = ServerLimits(), _ body: (RunningServer, Handler) async throws -> Void
  ) async throws {
    let handler = Handler()
    try await RunningServer.with(limits: limits, inlineResponder: { handler.inlineResponder($0, $1) }, respond: handler.respond) {
      try await body($0, handler)
    }
  }

  /// The request, how often the handler is called with an inline responder, and whether the connection continues.
  private static let requests: [(text: String, calls: Int, isKept: Bool)] = [
    (get("/ready"), 0, true), (get("/ready?query"), 0, true),
    ("HEAD /ready HTTP/1.1\r\nHost: a\r\n\r\n", 0, true),
    ("\r\nGET /ready HTTP/1.1\r\nhOST: a\r\nX: y\r\n\r\n", 0, true),
    ("GET http://a/ready HTTP/1.1\r\nHost: b\r\n\r\n", 1, true),
    ("GET /ready HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", 1, false),
    ("GET /ready HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", 1, true), ("GET /ready HTTP/1.0\r\n\r\n", 1, false),
    ("GET /ready HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc", 1, true),
    ("POST /ready HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n", 1, true),
    ("GET /ready HTTP/1.1\r\n\r\n", 0, false), ("GET /ready HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", 0, false),
    ("GET /ready HTTP/1.1\r\nHost : a\r\n\r\n", 0, false), ("GET /rea\u{1}dy HTTP/1.1\r\nHost: a\r\n\r\n", 0, false),
  ]

  @Test(arguments: requests.indices, [0, 1])
  func answersAsTheHandlerWould(_ index: Int, _ piece: Int) async throws {
    let (text, calls, isKept) = Self.requests[index]
    func heard(_ running: RunningServer) async throws -> [String] {
      try await RawClient.talk(running.port) { client in
        for byte in Array(text.utf8) where piece == 1 { client.send([byte]) }
        if piece == 0 { client.send(text) }
        let answer = client.answer(hasBody: !text.hasPrefix("HEAD"))
        if isKept { client.send("GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n") }
        let rest = String(decoding: client.rest(), as: UTF8.self).split(separator: "\r\n").filter { !$0.hasPrefix("Date:") }
        return ["\(answer.status)", answer.text] + answer.fields.filter { $0.name != "date" }.map { "\($0.name): \($0.value)" }
          + [answer["date"].flatMap { HTTPDate.parse($0) } == nil ? "no date" : "date"] + rest.map(String.init)
      }
    }
    var withLane: [String] = []
    try await Self.with { running, handler in
      withLane = try await heard(running)
      // Byte by byte the head is usually not complete in one read, so the task responds.
      if piece == 0 { #expect(handler.calls.value == calls + (isKept ? 1 : 0)) }
    }
    let handler = Handler()
    var without: [String] = []
    try await RunningServer.with(respond: handler.respond) { without = try await heard($0) }
    #expect(withLane == without)
    #expect(withLane.contains("date"))
  }

  @Test func answersOfOneBatchKeepTheirOrder() async throws {
    try await Self.with { running, handler in
      try await RawClient.talk(running.port) { client in
        var batch = ""
        for number in 0..<100 {
          batch += get("/ready") + "POST /\(number) HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nab" + get("/ready")
          batch += get("/ready/\(number)")
        }
        client.send(batch)
        for number in 0..<100 {
          #expect(client.answer().text == "ready")
          #expect(client.answer().text == "POST /\(number) - ab")
          #expect(client.answer().text == "ready")
          #expect(client.answer().text == "GET /ready/\(number) - ")
        }
      }
    }
  }

  @Test func manyRequestsOfOneReadAreAllAnswered() async throws {
    try await Self.with { running, handler in
      try await RawClient.talk(running.port) { client in
        client.send(String(repeating: get("/ready"), count: 1000))
        for _ in 0..<1000 { #expect(client.answer().text == "ready") }
        #expect(!client.waitReadable(milliseconds: 0))
      }
      let text = String(decoding: running.server.metrics.prometheusText(), as: UTF8.self)
      #expect(text.contains(#"http_requests_total{route="/ready",method="GET",status="2xx"} 1000"#))
      #expect(text.contains(#"http_request_duration_seconds_count{route="/ready"} 1000"#))
    }
  }

  @Test func aLargeAnswerReachesASlowReaderWholeAndTheNextFollows() async throws {
    guard case .bytes(let expected) = Self.large.body else { return }
    try await Self.with { running, handler in
      try await RawClient.talk(running.port, receiveBuffer: 8192) { client in
        client.send(get("/ready") + get("/large") + get("/ready") + get("/large"))
        for _ in 0..<2 {
          #expect(client.answer().text == "ready")
          let answer = client.answer()
          #expect(answer.isWhole && answer.body == expected)
        }
      }
    }
  }

  @Test func aReaderThatStallsIsCutOff() async throws {
    var limits = ServerLimits()
    limits.writeTimeout = .milliseconds(100)
    try await Self.with(limits: limits) { running, handler in
      try await RawClient.talk(running.port, receiveBuffer: 8192) { client in
        client.send(get("/ready"))
        #expect(client.answer().status == 200)
        client.send(String(repeating: get("/large"), count: 16))
        OwnThread.wait { running.server.connectionCount == 0 }
        #expect(client.rest().count < 16 * 1_500_000)
      }
    }
  }

  @Test func eachAnswerBuysTheConnectionItsIdleTime() async throws {
    var limits = ServerLimits()
    limits.idleTimeout = .seconds(1)
    try await Self.with(limits: limits) { running, handler in
      try await RawClient.talk(running.port) { client in
        let start = ContinuousClock.now
        while ContinuousClock.now - start < .milliseconds(1200) {
          client.send(get("/ready"))
          #expect(client.answer().status == 200)
          #expect(!client.waitReadable(milliseconds: 50))
        }
        #expect(client.isClosed())
      }
      #expect(handler.calls.value == 0)
    }
  }

  @Test func anEndWithTheLastRequestIsSeen() async throws {
    try await Self.with { running, handler in
      try await RawClient.talk(running.port) { client in
        client.send(get("/ready"))
        #expect(client.answer().status == 200)
        client.send(get("/ready"))
        client.shutdownWrite()
        #expect(client.answer().status == 200)
        #expect(client.isClosed())
      }
    }
  }
}
