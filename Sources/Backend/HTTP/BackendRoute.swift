import HTTPTypes
import OpenAPI
import RPC
import Server

/// A method and path of the backend, with their handler and their description in `GET /swagger.json`.
struct BackendRoute: Sendable {
  /// The requirements of a call.
  enum Access: Sendable {
    /// Nothing.
    case open
    /// An `X-Device-ID`, which a login registers.
    case device
    /// The access token of an active session, and its device.
    case session
    /// The same as `session`, but checked in the transaction of the handler.
    case idempotent
  }

  typealias Handler = @Sendable (BackendCall) async throws -> Answer

  let method: HTTPRequest.Method
  let path: String
  let access: Access
  /// Whether a body has to be JSON.
  let takesJSON: Bool
  /// nil if `GET /swagger.json` does not describe the route.
  let operation: Operation?
  let handler: Handler

  /// Whether the route is `GET /swagger.json`, which needs no signature.
  var isDescription: Bool { path == Self.descriptionPath }

  /// Whether the handler reads or writes accounts, and may therefore respond with 503.
  var usesData: Bool { Self.usesData(method, access) }

  static func usesData(_ method: HTTPRequest.Method, _ access: Access) -> Bool { method == .post || access != .open }

  /// All routes, those of the API and that of its description.
  static func table(_ services: BackendServices) -> [BackendRoute] {
    let api =
      BackendLoginMessageRoutes(services: services).routes + BackendLoginRoutes(services: services).routes
      + BackendSessionRoutes(services: services).routes + BackendAccountRoutes(services: services).routes
      + BackendAppRoutes(services: services).routes + BackendCueRoutes(services: services).routes
    return api + [BackendRoute(describing: api)]
  }

  /// A route of an endpoint; `needsDevice` applies to endpoints that need no session.
  init<Endpoint: APIEndpoint>(
    _ endpoint: Endpoint.Type, _ description: RouteDescription, needsDevice: Bool = false, handler: @escaping Handler
  ) {
    let access: Access = Endpoint.requiresAuth ? .session : needsDevice ? .device : .open
    self.init(endpoint, description, access: access, handler: handler)
  }

  /// A route of an endpoint that changes data of the signed-in user.
  init<Endpoint: APIEndpoint>(
    _ endpoint: Endpoint.Type, _ description: RouteDescription, services: BackendServices,
    effect: @escaping IdempotentCall.Effect
  ) {
    self.init(
      endpoint, description, access: .idempotent, handler: IdempotentCall(services: services, effect: effect).run)
  }

  private init<Endpoint: APIEndpoint>(
    _ endpoint: Endpoint.Type, _ description: RouteDescription, access: Access, handler: @escaping Handler
  ) {
    method = Endpoint.method
    path = Endpoint.path
    self.access = access
    takesJSON = true
    operation = description.operation(of: endpoint, access: access)
    self.handler = handler
  }

  /// `GET /swagger.json`: the routes as an OpenAPI 3.1 document.
  private init(describing routes: [BackendRoute]) {
    let document = APIDocument(describing: routes).json
    method = .get
    path = Self.descriptionPath
    access = .open
    takesJSON = true
    operation = nil
    handler = { _ in Answer(status: .ok, body: document, caching: .maxAge(300)) }
  }

  static let descriptionPath = "/swagger.json"

  /// A route that a recording responds to.
  init(recorded method: HTTPRequest.Method, _ path: String, access: Access, handler: @escaping Handler) {
    self.method = method
    self.path = path
    self.access = access
    takesJSON = false
    operation = nil
    self.handler = handler
  }

  /// The same route with another handler.
  func handled(by handler: @escaping Handler) -> BackendRoute { BackendRoute(self, handler) }

  private init(_ route: BackendRoute, _ handler: @escaping Handler) {
    method = route.method
    path = route.path
    access = route.access
    takesJSON = route.takesJSON
    operation = route.operation
    self.handler = handler
  }
}

/// Finds the route of a call.
protocol CallRouting: Sendable {
  /// Returns the route of a call; throws if no route matches.
  func route(of head: CallHead) throws(BackendFailure) -> BackendRoute
}

extension Router: CallRouting where Endpoint == BackendRoute {
  init(_ table: [BackendRoute]) {
    self.init()
    for route in table { add(route.method, route.path, route) }
  }

  /// Returns the route of a call; throws `not_found`, or `method_not_allowed` with the methods of the path.
  func route(of head: CallHead) throws(BackendFailure) -> BackendRoute {
    switch match(head.method, head.path) {
    case .found(let route, _): return route
    case .methodNotAllowed(let allow): throw .methodNotAllowed(allow)
    case .notFound: throw .notFound
    }
  }
}
