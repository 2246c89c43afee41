package import Domain
import Foundation
import HTTPTypes
import JSON
package import Logging
import Observability
import Reactor
package import Server

/// The console's answer to every request: gate, then route table, then files (contract §2).
package final class Application: Sendable {
  /// What a console is made of.
  package struct Parts: Sendable {
    package let registry: DeviceRegistry
    package let gate: Gate
    package let access: AccessControl
    package let cookie: BrowserCookie
    package let files: StaticFiles
    package let backend: BackendLink
    /// Whether only this machine's own browsers can come, so that a peer's address says who it is.
    package let isLocal: Bool
    /// How often the access token can be guessed.
    package let guesses: GuessLimit
    /// What the server did so far, as Prometheus text.
    package let metrics: @Sendable () async -> [UInt8]
    package let version: String
    package let time: Time
    package let logger: Logger

    /// Makes the parts.
    package init(
      registry: DeviceRegistry, gate: Gate, access: AccessControl, cookie: BrowserCookie, files: StaticFiles,
      backend: BackendLink, isLocal: Bool, metrics: @escaping @Sendable () async -> [UInt8], version: String, time: Time,
      logger: Logger, guesses: GuessLimit = GuessLimit()
    ) {
      self.guesses = guesses
      self.registry = registry
      self.gate = gate
      self.access = access
      self.cookie = cookie
      self.files = files
      self.backend = backend
      self.isLocal = isLocal
      self.metrics = metrics
      self.version = version
      self.time = time
      self.logger = logger
    }

    /// The browser whose cookie the request carries; of several cookies of the name, the one that is ours.
    func browser(of request: Request) async throws -> BrowserStore.Browser? {
      for cookie in cookie.values(of: request) {
        if let browser = try await registry.store.browser(cookie: cookie) { return browser }
      }
      return nil
    }
  }

  let parts: Parts
  /// Every route of the console, for the router, the tests and the documentation.
  package let routes: [ConsoleRoute]
  private let router: Router<ConsoleRoute>

  /// Makes the console of its parts.
  package init(parts: Parts) {
    self.parts = parts
    routes = RouteTable.routes(parts)
    var router = Router<ConsoleRoute>()
    for route in routes { router.add(route.method, route.pattern, route) }
    self.router = router
  }

  /// Answers a request; every failure becomes a problem, and none tells more than its code.
  package func respond(_ request: Request) async -> Response {
    var response = await judged(request)
    // Files say how they may be kept; whatever else is answered is of this moment alone.
    if response.headers[.cacheControl] == nil { response.headers[.cacheControl] = "no-store" }
    return response
  }

  private func judged(_ request: Request) async -> Response {
    let caller = Gate.Caller(
      method: request.method, path: request.path, headers: request.headers, isTLS: request.isTLS,
      hasBody: !request.body.isEmpty)
    switch parts.gate.judge(caller) {
    case .misdirected: return Response(status: .misdirectedRequest)
    case .redirect(let location):
      return Response(
        status: .temporaryRedirect,
        headers: [.location: location + (request.query.map { "?\($0)" } ?? ""), .cacheControl: "no-store"])
    case .refuse(let problem): return answer(problem, to: request)
    case .pass: break
    }
    return await route(request)
  }

  /// Runs a route's handler; every failure becomes a problem.
  private func answer(_ route: ConsoleRoute, _ request: Request) async -> Response {
    do {
      return try await call(route, request)
    } catch let problem as Problem {
      return answer(problem, to: request)
    } catch let error as AuthError {
      return answer(Problem(error), to: request)
    } catch let error as AccountError {
      return answer(Problem(error), to: request)
    } catch let error as CueError {
      return answer(Problem(error), to: request)
    } catch is ExportScan.Refusal {
      parts.logger.critical("an export was refused: a live secret stands in it", metadata: ["request": "\(request.requestID)"])
      return answer(.exportRefused, to: request)
    } catch is CancellationError {
      return answer(Problem(CallFailure.cancelled), to: request)
    } catch {
      parts.logger.error("request failed", metadata: ["request": "\(request.requestID)", "kind": "\(type(of: error))"])
      return answer(.storageFull, to: request)
    }
  }

  private func route(_ request: Request) async -> Response {
    switch router.match(request.method, request.path) {
    case .found(let route, let parameters):
      var request = request
      request.parameters = parameters
      var response = await answer(route, request)
      response.route = route.pattern
      return response
    case .methodNotAllowed(let allowed):
      var response = answer(
        Problem(.methodNotAllowed, "method_not_allowed", "The route does not take this method."), to: request)
      response.headers[.allow] = allowed.map(\.rawValue).joined(separator: ", ")
      return response
    case .notFound:
      if request.path == "/api" || request.path.hasPrefix("/api/") { return answer(.notFound, to: request) }
      return page(request)
    }
  }

  private func call(_ route: ConsoleRoute, _ request: Request) async throws -> Response {
    if case .open(let handler) = route.handler { return try await handler(ConsoleCall(request: request, browser: nil)) }
    let standing = parts.access.standing(of: request)
    guard standing != .stranger else { throw Problem.accessRequired }
    let browser = try await parts.browser(of: request)
    let call = ConsoleCall(
      request: request, browser: browser, isOwner: standing == .owner && parts.isLocal && request.peer.isLoopback)
    switch route.handler {
    case .open(let handler), .browser(let handler): return try await handler(call)
    case .device(let handler):
      let record = try await record(of: request, browser)
      guard let device = try await parts.registry.device(record) else { throw Problem.deviceUnknown }
      return try await handler(call.forDevice, device)
    }
  }

  /// The browser's device that the request's key belongs to.
  private func record(of request: Request, _ browser: BrowserStore.Browser?) async throws -> BrowserStore.DeviceRecord {
    let keys = request.headers[values: .deviceKey]
    guard keys.count == 1, let key = keys.first else { throw Problem.noDevice }
    if let browser, let record = try await parts.registry.store.device(key: key, browserID: browser.id) { return record }
    // A page forgets a key upon this, so it must not hear it for want of a cookie.
    guard try await parts.registry.store.device(key: key) != nil else { throw Problem.deviceUnknown }
    throw Problem.browserUnknown
  }

  private func page(_ request: Request) -> Response {
    guard request.method == .get || request.method == .head else {
      var response = Response.text("Method not allowed\n", status: .methodNotAllowed)
      response.headers[.allow] = "GET, HEAD"
      return response
    }
    if let response = parts.files.response(for: request) { return response }
    var missing = request
    missing.path = "/404"
    missing.headers = HTTPFields()
    guard !request.path.hasPrefix("/assets/"), var response = parts.files.response(for: missing) else {
      return .text("Not found\n", status: .notFound)
    }
    response.status = .notFound
    return response
  }

  private func answer(_ problem: Problem, to request: Request) -> Response {
    problem.response(requestID: request.requestID, now: Timestamp(parts.time.wall()))
  }
}
