import HTTPTypes
import Logging
import Reactor
import Server
import Locking
import Support
import Testing

@Suite(.timeLimit(.minutes(1))) struct AccessLogTests {
  @Test func tellsThePathButNoQueryAndNoField() async throws {
    let log = CapturedLog()
    var configuration = HTTPServer.Configuration(addresses: [("127.0.0.1", 0)])
    configuration.accessLog = log.logger()
    let server = HTTPServer(configuration: configuration, logger: Logger(label: "test"), respond: echo)
    let port = try await server.start()[0].port
    let size = Locked(0)
    try await RawClient.talk(port) { client in
      client.send(get("/callback?token=s3cret", "Authorization: Bearer s3cret\r\nCookie: a=s3cret\r\n"))
      let head = client.read(through: "\r\n\r\n") ?? ""
      #expect(head.hasPrefix("HTTP/1.1 200 "))
      let body = client.read(through: "GET /callback token=s3cret ") ?? ""
      size.withLock { $0 = head.utf8.count + body.utf8.count }
      client.send("POST /x HTTP/1.1\r\nHost: s3cret\r\nContent-Length: 6\r\n\r\ns3cretBAD s3cret\r\n\r\n")
      #expect(client.answer().status == 200)
      #expect(client.answer().status == 400)
    }
    await server.stop(within: .seconds(1))
    let all = log.texts
    #expect(all.count == 3)
    let line = try #require(
      all.first { $0.contains("method=GET") && $0.contains("path=/callback ") && $0.contains("status=200") })
    #expect(line.contains("peer=127.0.0.1") && line.contains("ms="))
    let bytes = try #require(line.split(separator: " ").first { $0.hasPrefix("bytes=") }.flatMap { Int($0.dropFirst(6)) })
    #expect(bytes == size.withLock { $0 })
    #expect(all.contains { $0.contains("request refused") && $0.contains("status=400") })
    #expect(!all.contains { $0.contains("s3cret") })
  }
}
