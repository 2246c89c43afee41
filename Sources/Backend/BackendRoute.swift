import HTTPTypes
import RPC
import Server

/// One row of the table that the backend answers by.
struct BackendRoute: Sendable {
  /// What a call must bring.
  enum Access: Sendable {
    /// Nothing.
    case open
    /// A device id, for the device that signs in.
    case device
    /// The access token of a living session and its device's id.
    case session
  }

  /// Does the call.
  typealias Handler = @Sendable (Call) async throws -> Answer

  /// The method; HEAD follows GET.
  let method: HTTPRequest.Method
  /// The path on the wire.
  let path: String
  /// What a call must bring.
  let access: Access
  /// What does the call.
  let handler: Handler

  /// The table.
  static func table(_ services: BackendServices) -> [BackendRoute] {
    let login = LoginCalls(services: services)
    let session = SessionCalls(services: services)
    let app = AppCalls(services: services)
    return [
      BackendRoute(AuthEndpoints.RequestMagicLink.self, .device, login.requestMagicLink),
      BackendRoute(AuthEndpoints.RequestLoginCode.self, .device, login.requestLoginCode),
      BackendRoute(AuthEndpoints.LoginWithMagicToken.self, .device, login.loginWithMagicToken),
      BackendRoute(AuthEndpoints.LoginWithCode.self, .device, login.loginWithCode),
      BackendRoute(AuthEndpoints.RefreshTokens.self, .open, session.refresh),
      BackendRoute(.post, "/app/api/refresh-token", .open, session.refresh),
      BackendRoute(AuthEndpoints.Logout.self, .session, session.logout),
      BackendRoute(AccountEndpoints.Me.self, .session, app.me),
      BackendRoute(AppEndpoints.AppConfig.self, .open, app.appConfig),
    ]
  }

  /// A row of an endpoint that the client knows too.
  init<Endpoint: APIEndpoint>(_ endpoint: Endpoint.Type, _ access: Access, _ handler: @escaping Handler) {
    self.init(Endpoint.method, Endpoint.path, access, handler)
  }

  /// A row.
  init(_ method: HTTPRequest.Method, _ path: String, _ access: Access, _ handler: @escaping Handler) {
    self.method = method
    self.path = path
    self.access = access
    self.handler = handler
  }
}

extension Router<BackendRoute> {
  /// A router over a table.
  init(_ table: [BackendRoute]) {
    self.init()
    for route in table { add(route.method, route.path, route) }
  }

  /// The row of a call; throws `not_found`, or `method_not_allowed` with the methods that there are.
  func route(of head: CallHead) throws(BackendFailure) -> BackendRoute {
    switch match(head.method, head.path) {
    case .found(let route, _): return route
    case .methodNotAllowed(let allow): throw .methodNotAllowed(allow)
    case .notFound: throw .notFound
    }
  }
}
