import HTTPTypes
import RPC

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

  let method: HTTPRequest.Method
  let path: String
  let access: Access
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

/// The table by path.
struct BackendRoutes: Sendable {
  private let byPath: [String: [BackendRoute]]

  /// Orders a table.
  init(_ table: [BackendRoute]) { byPath = Dictionary(grouping: table, by: \.path) }

  /// The row of a call, HEAD being answered as GET; throws `not_found`, or `method_not_allowed` with the methods that there are.
  func route(for head: CallHead) throws(BackendFailure) -> BackendRoute {
    guard let rows = byPath[head.path] else { throw .notFound }
    let wanted = head.method == .head ? .get : head.method
    if let route = rows.first(where: { $0.method == wanted }) { return route }
    let allowed = rows.flatMap { $0.method == .get ? [.get, .head] : [$0.method] }
    throw .methodNotAllowed(allowed)
  }
}
