import HTTPTypes
import Logging
import Reactor
import Server
import Support

/// A server on a free loopback port for the duration of a test.
struct RunningServer: Sendable {
  /// The server.
  let server: HTTPServer
  /// Its port.
  let port: UInt16

  /// Starts a server, runs the body and stops it.
  static func with(
    limits: ServerLimits = ServerLimits(), headers: HTTPFields = [.xContentTypeOptions: "nosniff"], loops: Int = 1,
    inlineResponder: InlineHandler? = nil, respond: @escaping @Sendable (Request) async -> Response,
    _ body: (RunningServer) async throws -> Void
  ) async throws {
    var configuration = HTTPServer.Configuration(addresses: [("127.0.0.1", 0)])
    configuration.limits = limits
    configuration.responseHeaders = headers
    configuration.loops = loops
    configuration.inlineResponder = inlineResponder
    let server = HTTPServer(configuration: configuration, logger: Logger(label: "test"), respond: respond)
    let addresses = try await server.start()
    do {
      try await body(RunningServer(server: server, port: addresses[0].port))
    } catch {
      await server.stop(within: .milliseconds(200))
      throw error
    }
    await server.stop(within: .milliseconds(200))
  }

  /// Waits until `count` connections are open; the suite's time limit ends a wait without result.
  func waitForConnections(_ count: Int) async {
    await eventually { server.connectionCount == count }
  }
}

/// Responds with the request: method, path, query and body.
@Sendable func echo(_ request: Request) async -> Response {
  do {
    let body = try await request.body.collect(upTo: .max)
    let line = "\(request.method.rawValue) \(request.path) \(request.query ?? "-") \(String(decoding: body, as: UTF8.self))"
    return .text(line)
  } catch {
    let status: HTTPResponse.Status =
      switch error {
      case .tooLarge: .contentTooLarge
      case .timedOut: .requestTimeout
      case .overBudget: .serviceUnavailable
      case .malformed, .disconnected: .badRequest
      }
    return .text("\(error)", status: status)
  }
}

/// A GET of the path with a host.
func get(_ path: String, _ fields: String = "") -> String { "GET \(path) HTTP/1.1\r\nHost: a\r\n\(fields)\r\n" }
