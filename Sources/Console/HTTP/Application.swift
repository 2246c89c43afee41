import Client
package import Domain
import HTTPTypes
import JSON
package import Logging
import Observability
package import Server
import Storage
package import Wire

/// Answers every request to the console: gate, then routes, then files.
package final class Application: Sendable {
  /// The dependencies of the console's routes.
  package struct Dependencies: Sendable {
    package let registry: DeviceRegistry
    package let gate: Gate
    package let access: AccessControl
    package let cookie: BrowserCookie
    package let files: StaticFiles
    package let backend: BackendLink
    /// Whether only browsers on this machine can connect, so that a peer's address identifies its user.
    package let isLocal: Bool
    /// The users of devices.
    package let accessPolicy: any DeviceAccessPolicy
    /// Identifies the person who sends a request; nil without an authenticating proxy.
    package let proxy: PersonProxy?
    /// Limits how often the access token can be guessed.
    package let guesses: GuessLimit
    /// The server's counters as Prometheus text.
    package let metrics: @Sendable () async -> [UInt8]
    package let version: String
    package let time: Time
    package let logger: Logger
    /// How an earlier console ended.
    package let earlierFault: EarlierFault

    package init(
      registry: DeviceRegistry, gate: Gate, access: AccessControl, cookie: BrowserCookie, files: StaticFiles,
      backend: BackendLink, isLocal: Bool, metrics: @escaping @Sendable () async -> [UInt8], version: String, time: Time,
      logger: Logger, guesses: GuessLimit = GuessLimit(), accessPolicy: any DeviceAccessPolicy = SingleUserAccess(),
      proxy: PersonProxy? = nil,
      earlierFault: EarlierFault = EarlierFault(note: nil)
    ) {
      self.earlierFault = earlierFault
      self.accessPolicy = accessPolicy
      self.proxy = proxy
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

    /// The browser whose cookie the request carries; of several cookies with the name, the first that this console set.
    func browser(of request: Request) async throws -> BrowserStore.Browser? {
      for cookie in cookie.values(of: request) {
        if let browser = try await registry.store.browser(cookie: cookie) { return browser }
      }
      return nil
    }
  }

  /// The paths whose handlers read large bodies in pieces.
  package static let streamedPaths: Set<String> = [RecordingImport.path]

  private let dependencies: Dependencies
  /// Every route of the console.
  package let routes: [ConsoleRoute]
  private let router: Router<ConsoleRoute>
  /// The fixed responses of routes, by path.
  private let fixed: [(path: [UInt8], response: PreparedResponse)]

  /// The routes are the console's own and those of a team.
  package init(dependencies: Dependencies, teamRoutes: [ConsoleRoute]) {
    self.dependencies = dependencies
    routes = RouteTable.routes(dependencies, teamRoutes)
    var router = Router<ConsoleRoute>()
    for route in routes { router.add(route.method, route.path, route) }
    self.router = router
    fixed = routes.compactMap { route in route.fixed.map { (Array(route.path.utf8), $0) } }
  }

  /// The response to a GET or HEAD without a body that passes the gate and needs no task: a route's fixed response, or a file; nil
  /// if ``respond(_:)`` has to respond.
  package func readyResponse(
    to view: borrowing RequestView, isTLS: Bool, at instant: ContinuousClock.Instant
  ) -> PreparedResponse? {
    guard case .pass = dependencies.gate.judge(Gate.Caller(view, isTLS: isTLS)) else { return nil }
    let path = view.path
    return fixed.first { path.elementsEqual($0.path) }?.response ?? dependencies.files.prepared(for: view, at: instant)
  }

  /// Responds to a request; every error becomes a problem that contains only its code.
  package func respond(_ request: Request) async -> Response {
    var response = await passGate(request)
    // Files have their own caching rules; every other response is only valid now.
    if response.headers[.cacheControl] == nil { response.headers[.cacheControl] = "no-store" }
    return response
  }

  private func passGate(_ request: Request) async -> Response {
    let caller = Gate.Caller(
      method: request.method, path: request.path, headers: request.headers, isTLS: request.isTLS,
      hasBody: !request.body.isEmpty)
    switch dependencies.gate.judge(caller) {
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

  /// Runs a route's handler; every error becomes a problem.
  private func answer(_ route: ConsoleRoute, _ request: Request) async -> Response {
    do {
      return try await call(route, request)
    } catch {
      let problem = Problem(error)
      log(problem, error, request)
      return answer(problem, to: request)
    }
  }

  /// Logs the errors that are not part of normal operation.
  private func log(_ problem: Problem, _ error: any Error, _ request: Request) {
    let metadata: Logger.Metadata = ["request": "\(request.requestID)", "kind": "\(type(of: error))"]
    switch problem.code {
    case .exportRefused where error is ExportScan.Refusal:
      dependencies.logger.critical("an export contains a live secret and was refused", metadata: metadata)
    case .internalError: dependencies.logger.error("request failed", metadata: metadata)
    case .storageFull where error is StorageError: dependencies.logger.error("request failed", metadata: metadata)
    default: break
    }
  }

  private func route(_ request: Request) async -> Response {
    switch router.match(request.method, request.path) {
    case .found(let route, let parameters):
      var request = request
      request.parameters = parameters
      var response = await answer(route, request)
      response.route = route.path
      return response
    case .methodNotAllowed(let allowed):
      var response = answer(.methodNotAllowed, to: request)
      response.headers[.allow] = allowed.map(\.rawValue).joined(separator: ", ")
      return response
    case .notFound:
      if Gate.isCall(request.path.utf8) { return answer(.notFound, to: request) }
      return page(request)
    }
  }

  private func call(_ route: ConsoleRoute, _ request: Request) async throws -> Response {
    let respond: ConsoleCall.Respond = { [self] in await self.respond($0) }
    if case .open(let handler) = route.handler {
      return try await handler(
        ConsoleCall(
          request: request, schema: route.requestSchema, pages: dependencies.files, browser: nil, respond: respond))
    }
    let sender = try await dependencies.sender(of: request)
    guard sender.accessLevel != .pagesOnly else { throw Problem.accessRequired }
    let call = ConsoleCall(
      request: request, schema: route.requestSchema, pages: dependencies.files, browser: sender.browser, person: sender.person,
      isOwner: sender.isOwner, accessPolicy: dependencies.accessPolicy, respond: respond)
    guard let person = sender.person else { return try await perform(route, call) }
    guard route.isChange else { return try await admitted(person, route, call) }
    let deviceID = try await record(of: request, sender.browser)?.id
    return try await dependencies.audited(person, request, deviceID: deviceID) { try await admitted(person, route, call) }
  }

  private func admitted(_ person: Person, _ route: ConsoleRoute, _ call: ConsoleCall) async throws -> Response {
    guard person.role >= route.role else { throw Problem.roleRefused }
    return try await perform(route, call)
  }

  private func perform(_ route: ConsoleRoute, _ call: ConsoleCall) async throws -> Response {
    let request = call.request
    let browser = call.browser
    switch route.handler {
    case .open(let handler), .browser(let handler): return try await handler(call)
    case .device(let handler):
      let device = try await device(of: request, browser)
      defer { device.calls.end() }
      return try await explaining(device, route) { try await handler(call.forDevice, device) }
    case .owner(let handler):
      let device = try await device(of: request, browser)
      defer { device.calls.end() }
      try call.requireOwner()
      return try await explaining(device, route) { try await handler(call.forDevice, device) }
    }
  }

  /// Handles a call; a thrown error names the row of the backend's call that failed.
  private func explaining(
    _ device: Device, _ route: ConsoleRoute, _ handle: () async throws -> Response
  ) async throws -> Response {
    let rows = StartedRows()
    do {
      return try await StartedRows.$current.withValue(rows) { try await handle() }
    } catch {
      let explained = explained(error, device, route)
      var problem = Problem(explained)
      // The console itself rejects the account; the calls belong to the sign-out that follows.
      guard problem.code != .accountTaken else { throw explained }
      let ending = problem.code == .sessionEnded ? device.timeline.sessionEnd?.rowID : nil
      guard let row = ending ?? rows.ids.last(where: { device.log.detail(id: $0)?.row.state == .failure }) else {
        throw explained
      }
      problem.rowID = row
      throw problem
    }
  }

  /// A handler's error in the form that the page needs.
  private func explained(_ error: any Error, _ device: Device, _ route: ConsoleRoute) -> any Error {
    let problem = Problem(error)
    switch problem.code {
    // Errors of a call whose client stopped because the device moved to another console. The session continues there.
    case .signedOut, .sessionEnded, .storageFull, .unavailable:
      guard dependencies.registry.placement.isShared, device.isStopped, problem.reason == nil else { return error }
      return route.isChange ? Problem.moved : Problem.moving(afterSeconds: 1)
    default: return error
    }
  }

  /// The browser's device that the request's key belongs to, awake, with the call counted.
  private func device(of request: Request, _ browser: BrowserStore.Browser?) async throws -> Device {
    // Nothing was done yet, so that the same request may be sent again.
    do { return try await knownDevice(of: request, browser) } catch StorageError.unreachable {
      throw Problem.moving(afterSeconds: 1)
    }
  }

  /// The browser's device that the request's key belongs to.
  private func record(of request: Request, _ browser: BrowserStore.Browser?) async throws -> BrowserStore.DeviceRecord? {
    let keys = request.headers[values: .deviceKey]
    guard keys.count == 1, let key = keys.first, let browser else { return nil }
    return try await dependencies.registry.store.device(key: key, browserID: browser.id)
  }

  private func knownDevice(of request: Request, _ browser: BrowserStore.Browser?) async throws -> Device {
    let keys = request.headers[values: .deviceKey]
    guard keys.count == 1, let key = keys.first else { throw Problem.noDevice }
    let registry = dependencies.registry
    let store = dependencies.registry.store
    if let record = try await record(of: request, browser) {
      guard let device = try await registry.deviceForCall(record) else { throw Problem.deviceUnknown }
      return device
    }
    // A page forgets a key when it reads this, so a missing cookie must not cause it.
    guard try await store.device(key: key) != nil else { throw Problem.deviceUnknown }
    throw Problem.browserUnknown
  }

  private func page(_ request: Request) -> Response {
    guard request.method == .get || request.method == .head else {
      var response = Response.text("Method not allowed\n", status: .methodNotAllowed)
      response.headers[.allow] = "GET, HEAD"
      return response
    }
    if let response = dependencies.files.response(for: request) { return response }
    var missing = request
    missing.path = "/404"
    missing.headers = HTTPFields()
    guard !request.path.hasPrefix("/assets/"), var response = dependencies.files.response(for: missing) else {
      return .text("Not found\n", status: .notFound)
    }
    response.status = .notFound
    return response
  }

  private func answer(_ problem: Problem, to request: Request) -> Response {
    problem.response(requestID: request.requestID, now: Timestamp(dependencies.time.wall()))
  }
}

/// The console's routes: the sum of those of its features.
enum RouteTable {
  static func routes(_ dependencies: Application.Dependencies, _ teamRoutes: [ConsoleRoute]) -> [ConsoleRoute] {
    let routes =
      SystemRoutes.routes(dependencies) + AccessRoutes.routes(dependencies) + DeviceRoutes.routes(dependencies)
      + teamRoutes
      + LoginRoutes.routes(dependencies) + SessionRoutes.routes(dependencies) + AccountRoutes.routes + ProfileRoutes.routes
      + AnalyticsRoutes.routes + CueRoutes.routes + TimelineRoutes.routes + NetworkRoutes.routes + DriftRoutes.routes
      + ExportRoutes.routes + RecordingRoutes.routes + ComparisonRoutes.routes + ExplainRoutes.routes
      + ReplayRoutes.routes + FaultRoutes.routes + InboxRoutes.routes(dependencies)
      + EmbeddedBackendRoutes.routes(dependencies) + InspectionRoutes.routes(dependencies)
    return routes + [APIDescription.route(describing: routes, version: dependencies.version)]
  }
}
