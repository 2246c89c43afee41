import Console
import Testing
import Wire

@Suite struct ReadyResponseTests {
  /// A request, and whether the event loop answers it without a task.
  struct Case: Sendable {
    let path: String
    let host: String
    let field: String
    let isReady: Bool

    init(_ path: String, host: String = "localhost:8080", _ field: String = "Accept: */*", isReady: Bool) {
      (self.path, self.host, self.field, self.isReady) = (path, host, field, isReady)
    }
  }

  @Test(arguments: [
    Case("/healthz", isReady: true), Case("/healthz?x=1", isReady: true), Case("/healthz", host: "LOCALHOST:8080", isReady: true),
    Case("/healthz", host: "127.0.0.1:8080", "Sec-Fetch-Dest: script", isReady: true),
    Case("/healthz", host: "127.0.0.1:8080", "SEC-FETCH-DEST: document", isReady: false),
    Case("/healthz", host: "evil.example", isReady: false), Case("/healthz/", isReady: false), Case("/readyz", isReady: false),
    Case("/api/state", "Origin: http://evil.example", isReady: false), Case("/api/state", isReady: false),
  ])
  func fixedResponseIsReadyIfTheGateAdmitsTheRequest(_ request: Case) async throws {
    let application = try await ConsoleHarness().application
    let head = Array("GET \(request.path) HTTP/1.1\r\nHost: \(request.host)\r\n\(request.field)\r\n\r\n".utf8)
    let isReady = try head.withUnsafeBufferPointer { bytes in
      var (parser, position) = (RequestParser(), 0)
      _ = try #require(try parser.scan(bytes, at: &position))
      return parser.withView(of: bytes) { application.readyResponse(to: $0, isTLS: false, at: .now) != nil }
    }
    #expect(isReady == request.isReady)
  }
}
