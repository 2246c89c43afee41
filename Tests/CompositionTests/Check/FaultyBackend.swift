import ArgumentParser
import Backend
import Domain
import FoundationEssentials
import HTTPTypes
import Logging
import Reactor
import Server
import Support
import Locking

@testable import Composition

/// The reference backend behind a proxy that injects one fault, over real TLS.
final class FaultyBackend: Sendable {
  /// The injected fault.
  struct Injection: Sendable {
    /// Changes a request before the backend sees it.
    var request: @Sendable (inout Request) async -> Void = { _ in }
    /// Changes a response; gets the request's method and path, such as `GET /rpc/me`.
    var answer: @Sendable (_ call: String, Response) async -> Response = { $1 }
  }

  let origin: String
  /// The flags for `understudy check` to reach it.
  let arguments: [String]
  /// Every secret that was sent or is in the inbox.
  var secrets: Set<String> {
    get async {
      let sent = await backend.inbox.messages(to: nil).flatMap { [$0.to, $0.code, $0.link].compactMap { $0 } }
      return seen.withLock { $0 }.union(sent).union([Self.token])
    }
  }

  private static let token = "developers-token-of-this-test"
  private let backend: ReferenceBackend
  private let server: HTTPServer
  private let folder: TemporaryFolder
  private let seen: Locked<Set<String>>

  private init(
    origin: String, arguments: [String], backend: ReferenceBackend, server: HTTPServer, folder: TemporaryFolder,
    seen: consuming Locked<Set<String>>
  ) {
    self.origin = origin
    self.arguments = arguments
    self.backend = backend
    self.server = server
    self.folder = folder
    self.seen = seen
  }

  /// Starts a backend with a silent logger.
  static func start(_ injection: Injection = Injection()) async throws -> FaultyBackend {
    var logger = Logger(label: "bent")
    logger.logLevel = .critical
    let folder = try TemporaryFolder()
    let backend = try await ReferenceBackend(configuration: .init(limits: .relaxed, logger: logger, auditLogger: logger))
    // Only the certificate of this listener is used.
    let other = try await BackendListener.start(backend, identity: .folder(folder.path), logger: logger)
    await other.stop(within: .zero)
    let slot = Promise<FaultyBackend>()
    let alone = StandaloneBackend(backend, developerToken: token)
    var configuration = HTTPServer.Configuration(addresses: [("127.0.0.1", 0)])
    configuration.tls = try TLSContext(
      certificatePEM: try String(contentsOfFile: folder.file("certificate.pem"), encoding: .utf8),
      privateKeyPEM: try String(contentsOfFile: folder.file("private-key.pem"), encoding: .utf8))
    let server = HTTPServer(configuration: configuration, logger: logger) { request in
      var request = request
      let call = "\(request.method.rawValue) \(request.path)"
      if let bearer = request.headers[.authorization] { await slot.value.note([String(bearer.dropFirst(7))]) }
      await injection.request(&request)
      return await injection.answer(call, await alone.respond(request))
    }
    let port = try await server.start().first?.port ?? 0
    let origin = "https://127.0.0.1:\(port)"
    backend.setLinkBase(origin)
    let arguments = [
      "--backend", origin, "--pin", other.pin, "--ca", folder.file("certificate.pem"), "--dev-token-file",
      try folder.write(token, to: "token"), "--timeout", "10",
    ]
    let bent = FaultyBackend(
      origin: origin, arguments: arguments, backend: backend, server: server, folder: folder, seen: Locked([]))
    slot.fulfill(bent)
    return bent
  }

  /// Stops listening.
  func stop() async { await server.stop(within: .zero) }

  private func note(_ values: [String]) { seen.withLock { $0.formUnion(values.filter { !$0.isEmpty }) } }

  /// Runs the named checks, or others; all of them for nil. The time decides when a check has taken too long.
  func check(
    _ ids: Set<String>? = nil, _ more: [String] = [], cases: [CheckCase]? = nil, time: Time = .system
  ) async throws -> CheckReport {
    let settings = try CheckSettings(try CheckCommand.parse(arguments + more), variables: [:])
    var logger = Logger(label: "test")
    logger.logLevel = .critical
    var run = CheckRun(settings: settings, logger: logger)
    run.time = time
    if let ids { run.cases = CheckCase.all.filter { ids.contains($0.id) } }
    if let cases { run.cases = cases }
    return try await run.run()
  }
}

extension Response {
  /// The same response with another body.
  func with(body: String, status: Int? = nil) -> Response {
    var response = self
    response.body = .bytes(Array(body.utf8))
    response.headers[.contentType] = "application/json"
    if let status { response.status = HTTPResponse.Status(code: status) }
    return response
  }

  /// The body as text; empty for a streamed one.
  var text: String {
    guard case .bytes(let bytes) = body else { return "" }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// An error in the backend's format.
  static func refusal(_ status: Int, _ code: String) -> Response {
    .json(
      Array(#"{"error":{"code":"\#(code)","message":"no","request_id":"r"}}"#.utf8), status: HTTPResponse.Status(code: status))
  }
}
