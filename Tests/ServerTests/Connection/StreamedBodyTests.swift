import HTTPTypes
import Server
import Testing

@Suite(.timeLimit(.minutes(1))) struct StreamedBodyTests {
  private func pieces(_ length: Int?) -> @Sendable (Request) async -> Response {
    { _ in
      Response(
        status: .ok,
        body: .stream(length: length) { writer in
          for piece in ["ab", "", "cd", "e"] { try await writer.write(Array(piece.utf8)) }
        })
    }
  }

  @Test func unknownLengthIsChunkedAndKeepsTheConnection() async throws {
    try await RunningServer.with(respond: pieces(nil)) { running in
      try await RawClient.talk(running.port) { client in
        client.send(get("/") + "HEAD / HTTP/1.1\r\nHost: a\r\n\r\n" + get("/"))
        let answer = client.answer()
        #expect(answer["transfer-encoding"] == "chunked" && answer.text == "abcde" && answer.isWhole)
        #expect(client.answer(hasBody: false).status == 200)
        #expect(client.answer().text == "abcde")
      }
    }
  }

  @Test func knownLengthIsPlain() async throws {
    try await RunningServer.with(respond: pieces(5)) { running in
      try await RawClient.talk(running.port) { client in
        client.send(get("/") + get("/"))
        #expect(client.answer()["content-length"] == "5")
        #expect(client.answer().text == "abcde")
      }
    }
  }

  @Test(arguments: [4, 6])
  func aWrongLengthBreaksTheConnection(_ length: Int) async throws {
    try await RunningServer.with(respond: pieces(length)) { running in
      try await RawClient.talk(running.port) { client in
        client.send(get("/") + get("/"))
        // The second request is not answered, and no byte over the length is sent.
        let text = String(decoding: client.rest(), as: UTF8.self)
        #expect(text.split(separator: "HTTP/1.1").count == 1)
        #expect(text.hasSuffix(length == 4 ? "\r\n\r\nabcd" : "\r\n\r\nabcde"))
      }
    }
  }

  @Test func http10ReadsUntilTheEnd() async throws {
    try await RunningServer.with(respond: pieces(nil)) { running in
      try await RawClient.talk(running.port) { client in
        client.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
        let answer = client.answer()
        #expect(answer["transfer-encoding"] == nil && answer["connection"] == "close" && answer.text == "abcde")
      }
    }
  }

  @Test func aThrowEndsWithoutTheLastChunk() async throws {
    struct Broken: Error {}
    try await RunningServer.with(respond: { _ in
      Response(
        status: .ok,
        body: .stream(length: nil) { writer in
          try await writer.write([0x61])
          throw Broken()
        })
    }) { running in
      try await RawClient.talk(running.port) { client in
        client.send(get("/"))
        #expect(!client.answer().isWhole)
      }
    }
  }
}
