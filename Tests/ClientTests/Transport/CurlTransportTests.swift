import HTTPTypes
import Observability
import Support
import Testing
import Wire

@testable import Client

@Suite(.timeLimit(.minutes(1))) struct CurlTransportTests {
  @Test func sendsAGetAsItStandsAndReadsTheWholeAnswer() async throws {
    let harness = try TransportHarness { connection in
      connection.serve { _ in
        connection.write("HTTP/1.1 103 Early Hints\r\nX-Early: 1\r\n\r\n")
        connection.respond(
          "201 Created", ["Set-Cookie: a=1", "X-Text:  two words ", "Set-Cookie: b=2", "X-Empty:"], body: [0, 255, 10])
      }
    }
    try await harness.use { harness in
      let path = "/a/../b/./%2f%2F;x=1//c?q=%c3%A9&a+b&&=*'()~"
      var headers = HTTPFields()
      headers.append(HTTPField(name: .accept, value: "application/json"))
      headers.append(HTTPField(name: HTTPField.Name("X-Empty") ?? .age, value: ""))
      headers.append(HTTPField(name: HTTPField.Name("X-Two") ?? .age, value: "1"))
      headers.append(HTTPField(name: HTTPField.Name("X-Two") ?? .age, value: "2"))
      let response = try await harness.send(.get, path, headers: headers)
      #expect(response.status == 201)
      #expect(response.body == [0, 255, 10])
      let received = response.headers.map { "\($0.name.rawName)=\($0.value)" }
      #expect(received == ["Content-Length=3", "Set-Cookie=a=1", "X-Text=two words", "Set-Cookie=b=2", "X-Empty="])
      let timings = response.timings
      for phase in [
        timings.queue, timings.dns, timings.connect, timings.tls, timings.send, timings.wait, timings.receive, timings.total,
      ] {
        #expect(try #require(phase) >= .zero)
      }
      #expect(try #require(timings.tls) > .zero)
      let request = try #require(harness.server.requests.first)
      #expect(
        request.lines == [
          "GET \(path) HTTP/1.1", "Host: 127.0.0.1:\(harness.server.port)", "Accept-Encoding: gzip, deflate",
          "Accept: application/json", "X-Empty:", "X-Two: 1", "X-Two: 2",
        ])
    }
  }

  @Test func sendsBodiesOfAnySizeAndByte() async throws {
    let harness = try TransportHarness { connection in connection.serve { _ in connection.respond() } }
    try await harness.use { harness in
      let large = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
      for body in [[], [0], large] {
        _ = try await harness.send(.post, "/p", body: body)
        let request = try #require(harness.server.requests.last)
        #expect(request.body == body)
        #expect(request.requestLine == "POST /p HTTP/1.1")
        #expect(request.values("content-length") == ["\(body.count)"])
        for absent in ["expect", "content-type", "user-agent", "accept", "transfer-encoding"] {
          #expect(request.values(absent).isEmpty)
        }
      }
      _ = try await harness.send(.post, "/none")
      #expect(harness.server.requests.last?.values("content-length") == ["0"])
      _ = try await harness.send(.delete, "/none")
      #expect(harness.server.requests.last?.values("content-length") == [])
      #expect(harness.server.requests.last?.requestLine == "DELETE /none HTTP/1.1")
      _ = try await harness.send(.delete, "/one", body: [1])
      #expect(harness.server.requests.last?.body == [1])
    }
  }

  /// As many lines as fit into the limit of bytes, ended as short as possible, are more than `HTTPFields` holds.
  @Test(arguments: ["\n", "\r\n"]) func anAnswerWithTooManyHeaderLinesIsRefused(end: String) async throws {
    let harness = try TransportHarness { connection in
      connection.serve { _ in
        connection.write("HTTP/1.1 200 OK\(end)" + String(repeating: "a:\(end)", count: 65_600) + "Content-Length: 0\(end)\(end)")
      }
    }
    try await harness.use { harness in
      await #expect(throws: (any Error).self) { try await harness.send(.get, "/p") }
    }
  }

  @Test func leavesRedirectsAndErrorsToItsCaller() async throws {
    let harness = try TransportHarness { connection in
      connection.serve { request in
        let status = request.requestLine.contains("/moved") ? "307 Temporary Redirect" : "503 Service Unavailable"
        connection.respond(status, ["Location: /elsewhere", "WWW-Authenticate: Basic realm=x"], body: [1])
      }
    }
    try await harness.use { harness in
      let moved = try await harness.send(.get, "/moved")
      let down = try await harness.send(.post, "/down", body: [1])
      #expect(moved.status == 307)
      #expect(down.status == 503)
      #expect(harness.server.requests.count == 2)
    }
  }

  @Test func readsAnswersWithoutBodies() async throws {
    let harness = try TransportHarness { connection in
      connection.serve { request in
        if request.requestLine.hasPrefix("HEAD") {
          connection.write("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")
        } else if request.requestLine.contains("304") {
          connection.write("HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n")
        } else {
          connection.write("HTTP/1.1 204 No Content\r\n\r\n")
        }
      }
    }
    try await harness.use { harness in
      for (method, path, status) in [(HTTPRequest.Method.head, "/", 200), (.get, "/304", 304), (.get, "/204", 204)] {
        let response = try await harness.send(method, path)
        #expect(response.status == status)
        #expect(response.body == [])
      }
      #expect(harness.server.connections == 1)
    }
  }

  @Test func readsChunksAndDropsTrailers() async throws {
    let harness = try TransportHarness { connection in
      connection.serve { _ in
        connection.write(
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nX-Trailer: 1\r\n\r\n")
      }
    }
    try await harness.use { harness in
      let response = try await harness.send()
      #expect(response.body == Array("abcde".utf8))
      #expect(response.headers.map(\.name.canonicalName) == ["transfer-encoding"])
    }
  }

  @Test func keepsConnections() async throws {
    let harness = try TransportHarness { connection in connection.serve { _ in connection.respond() } }
    try await harness.use { harness in
      for _ in 0..<5 { _ = try await harness.send(isReplayable: true) }
      let last = try await harness.send(.post, body: [1], isReplayable: true)
      #expect(harness.server.connections == 1)
      #expect(last.timings.dns == nil)
      #expect(last.timings.connect == nil)
      #expect(last.timings.tls == nil)
      #expect(last.timings.wait != nil)
    }
  }

  @Test func carriesManyAtOnce() async throws {
    let harness = try TransportHarness { connection in
      connection.serve { request in connection.respond(body: Array(request.requestLine.utf8)) }
    }
    try await harness.use { harness in
      try await withThrowingTaskGroup(of: Bool.self) { group in
        for number in 0..<100 {
          group.addTask {
            try await harness.send(.get, "/\(number)").body == Array("GET /\(number) HTTP/1.1".utf8)
          }
        }
        for try await isRight in group { #expect(isRight) }
      }
      #expect(harness.server.requests.count == 100)
    }
  }

  /// The server reads a large body only once it is released, so that sending takes as long.
  @Test func timeSpentSendingIsToldFromTimeSpentWaiting() async throws {
    let gate = ThreadGate()
    let harness = try TransportHarness { connection in
      guard connection.handshake(), connection.readSome() else { return }
      gate.wait()
      // The connection stays open: closing it while the next request is sent would lose that one.
      while connection.readRequest() != nil { connection.respond() }
    }
    try await harness.use { harness in
      let call = Task { try await harness.send(.post, body: [UInt8](repeating: 1, count: 16 << 20)) }
      await harness.server.reached(.bytes)
      let held = ContinuousClock.now
      await eventually { ContinuousClock.now - held >= .milliseconds(100) }
      gate.open()
      let timings = try await call.value.timings
      #expect(try #require(timings.send) >= 100)
      #expect(try #require(timings.total) >= #require(timings.send) + #require(timings.wait))
      let small = try await harness.send()
      #expect(small.timings.send == .zero)
    }
  }

  @Test func decompresses() async throws {
    let text = Array(repeating: UInt8(ascii: "a"), count: 10_000)
    let packed = try #require(Gzip.compress(text, level: 6))
    let harness = try TransportHarness { connection in
      connection.serve { _ in connection.respond("200 OK", ["Content-Encoding: gzip"], body: packed) }
    }
    try await harness.use { harness in
      let response = try await harness.send()
      #expect(response.body == text)
      #expect(harness.server.requests.first?.values("accept-encoding") == ["gzip, deflate"])
    }
  }

  @Test func aBrokenContentCodingKeepsStatusAndHeaders() async throws {
    let harness = try TransportHarness { connection in
      connection.serve { _ in connection.respond("200 OK", ["Content-Encoding: gzip"], body: Array("not gzip at all".utf8)) }
    }
    try await harness.use { harness in
      let response = try await harness.send()
      #expect(response.status == 200 && response.codingFault == "broken content coding `gzip`")
      #expect(response.headers[.contentEncoding] == "gzip" && response.body == Array("not gzip at all".utf8))
    }
  }

  @Test func refusesABodyOverTheLimit() async throws {
    let bomb = try #require(Gzip.compress([UInt8](repeating: 0, count: 1001), level: 9))
    let harness = try TransportHarness(responseLimit: 1000) { connection in
      connection.serve { request in
        switch request.requestLine {
        case "GET /length HTTP/1.1": connection.respond(body: [UInt8](repeating: 1, count: 1001))
        case "GET /gzip HTTP/1.1": connection.respond("200 OK", ["Content-Encoding: gzip"], body: bomb)
        case "GET /fits HTTP/1.1": connection.respond(body: [UInt8](repeating: 1, count: 1000))
        default:
          connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
          while connection.write("64\r\n" + String(repeating: "x", count: 100) + "\r\n") {}
        }
      }
    }
    try await harness.use { harness in
      for path in ["/length", "/gzip", "/endless"] {
        await #expect(throws: TransportError.responseTooLarge, "\(path)") { try await harness.send(.get, path) }
      }
      let response = try await harness.send(.get, "/fits")
      #expect(response.body.count == 1000)
    }
  }

  @Test func refusesEndlessHeaders() async throws {
    let harness = try TransportHarness { connection in
      connection.serve { _ in
        connection.write("HTTP/1.1 200 OK\r\n")
        while connection.write("X-More: " + String(repeating: "x", count: 1000) + "\r\n") {}
      }
    }
    try await harness.use { harness in
      await #expect(throws: TransportError.malformedResponse) { try await harness.send() }
    }
  }

  @Test func refusesWhatIsNotHTTP() async throws {
    let harness = try TransportHarness { connection in connection.serve { _ in connection.write("SSH-2.0-x\r\n\r\n") } }
    try await harness.use { harness in
      await #expect(throws: TransportError.malformedResponse) { try await harness.send() }
    }
  }

  @Test func aTruncatedAnswerIsALostConnection() async throws {
    let harness = try TransportHarness { connection in
      guard connection.handshake(), connection.readRequest() != nil else { return }
      connection.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort")
    }
    try await harness.use { harness in
      await #expect(throws: TransportError.connectionLost(mayHaveBeenProcessed: true)) {
        try await harness.send(isReplayable: true)
      }
    }
  }

  @Test func refusesURLsWithCredentials() async throws {
    let transport = try CurlTransport(TransportConfiguration(proxy: .none))
    for url in ["https://user:password@127.0.0.1/", "https:///path", "https://127.0.0.1:99999/", "https://[::1/"] {
      await #expect(throws: TransportError.invalidURL, "\(url)") {
        try await transport.send(TransportRequest(method: .get, url: url))
      }
    }
    await transport.shutdown()
  }

  @Test func aClosedPortIsOffline() async throws {
    let harness = try TransportHarness { _ in }
    harness.server.stop()
    await #expect(throws: TransportError.offline(kind: .cannotConnect)) { try await harness.send() }
    await harness.transport.shutdown()
  }
}
