import HTTPTypes
import Logging
import Reactor
import Server
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct AccessLogTests {
  /// Keeps every line with its metadata.
  private final class Lines: Sendable {
    let all = Mutex<[String]>([])
  }

  private struct Recorder: LogHandler {
    let lines: Lines
    var metadata = Logger.Metadata()
    var logLevel = Logger.Level.trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      let text = event.metadata?.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ") ?? ""
      lines.all.withLock { $0.append("\(event.message) \(text)") }
    }
  }

  @Test func tellsThePathButNoQueryAndNoField() async throws {
    let lines = Lines()
    let logger = Logger(label: "test") { _ in Recorder(lines: lines) }
    let server = HTTPServer(configuration: .init(addresses: [("127.0.0.1", 0)]), logger: logger, respond: echo)
    let port = try await server.start()[0].port
    try await RawClient.talk(port) { client in
      client.send(get("/callback?token=s3cret", "Authorization: Bearer s3cret\r\nCookie: a=s3cret\r\n"))
      #expect(client.answer().status == 200)
      client.send("POST /x HTTP/1.1\r\nHost: s3cret\r\nContent-Length: 6\r\n\r\ns3cretBAD s3cret\r\n\r\n")
      #expect(client.answer().status == 200)
      #expect(client.answer().status == 400)
    }
    await server.stop(within: .seconds(1))
    let all = lines.all.withLock { $0 }
    #expect(all.contains { $0.contains("method=GET") && $0.contains("path=/callback ") && $0.contains("status=200") })
    #expect(all.contains { $0.hasPrefix("request refused") && $0.contains("status=400") })
    #expect(!all.contains { $0.contains("s3cret") })
  }
}
