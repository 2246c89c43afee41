import HTTPTypes
import JSON
import Logging
import Server
import Wire

/// The routes of the probe; every other path is a file.
struct ProbeService: Sendable {
  /// The largest body, 16 MiB.
  static let bodyLimit = 16 * 1024 * 1024

  private enum Endpoint: Sendable {
    case tiny, tinyAsync, echo, noContent, json, events
  }

  private static let tiny = {
    var response = Response.json(Array(#"{"ok":true,"name":"probe"}"#.utf8))
    response.headers[.cacheControl] = "no-store"
    return response
  }()
  private static let readyTiny = PreparedResponse(tiny)
  private let router: Router<Endpoint>
  private let files: StaticFiles
  private let ticker: Ticker

  /// Serves the files of `root`; throws if it is not a directory.
  init(root: String, logger: Logger) throws {
    var configuration = StaticFiles.Configuration()
    configuration.paths = .asSpelled
    files = try StaticFiles(root: root, configuration: configuration, logger: logger)
    ticker = Ticker(period: .seconds(1))
    var router = Router<Endpoint>()
    router.add(.get, "/tiny", .tiny)
    router.add(.get, "/tiny-async", .tinyAsync)
    router.add(.post, "/echo", .echo)
    router.add(.get, "/no-content", .noContent)
    router.add(.post, "/api/json", .json)
    router.add(.get, "/events", .events)
    self.router = router
  }

  /// Ends the event streams.
  func stop() { ticker.stop() }

  /// Returns a prepared response, if there is one.
  func ready(_ view: borrowing RequestView, _ instant: ContinuousClock.Instant) -> PreparedResponse? {
    view.isPath("/tiny") ? Self.readyTiny : files.prepared(for: view, at: instant)
  }

  nonisolated(nonsending) func respond(_ request: Request) async -> Response {
    if request.path == "/tiny-async", request.method == .get { return await Self.tinyLater() }
    if request.path == "*" { return Self.options([.get, .head, .options, .post]) }
    switch router.match(request.method, request.path) {
    case .found(let endpoint, _): return await answer(endpoint, request)
    case .methodNotAllowed(let allow):
      let allow = allow + [.options]
      return request.method == .options ? Self.options(allow) : .methodNotAllowed(allow: allow)
    case .notFound:
      let answer = files.response(for: request) ?? .text("404 Not Found\n", status: .notFound)
      let isAsked = request.method == .options && answer.status == .methodNotAllowed
      return isAsked ? Self.options([.get, .head, .options]) : answer
    }
  }

  private nonisolated(nonsending) static func tinyLater() async -> Response {
    await Task.yield()
    return Response(readyTiny)
  }

  /// The methods of the server or of one path (RFC 9110 §9.3.7).
  private static func options(_ allow: [HTTPRequest.Method]) -> Response {
    Response(status: .noContent, headers: [.allow: allow.map(\.rawValue).joined(separator: ", ")])
  }

  nonisolated(nonsending) private func answer(_ endpoint: Endpoint, _ request: Request) async -> Response {
    switch endpoint {
    case .tiny: return Response(Self.readyTiny)
    case .tinyAsync: return await Self.tinyLater()
    case .noContent: return Response(status: .noContent)
    case .events: return .events(ticker.channel.subscribe(after: request.headers[.lastEventID]))
    case .echo: return await withBody(request) { Self.echoed($0, as: request.headers[.contentType]) }
    case .json:
      return await withBody(request) { bytes in
        do throws(JSONError) {
          _ = try JSONDocument(parsing: bytes)
          return .json(bytes)
        } catch {
          return .text("not JSON: \(error.reason) at \(error.offset)\n", status: .badRequest)
        }
      }
    }
  }

  private static func echoed(_ bytes: [UInt8], as type: String?) -> Response {
    Response(
      status: .ok, headers: [.contentType: type ?? "application/octet-stream", .xContentTypeOptions: "nosniff"],
      body: .bytes(bytes))
  }

  nonisolated(nonsending) private func withBody(_ request: Request, _ body: ([UInt8]) -> Response) async -> Response {
    do throws(BodyError) {
      return body(try await request.body.collect(upTo: Self.bodyLimit))
    } catch {
      let status: HTTPResponse.Status =
        switch error {
        case .tooLarge: .contentTooLarge
        case .timedOut: .requestTimeout
        case .overBudget: .serviceUnavailable
        case .malformed, .disconnected: .badRequest
        }
      return .text("\(status.code) \(status.reasonPhrase)\n", status: status)
    }
  }
}
