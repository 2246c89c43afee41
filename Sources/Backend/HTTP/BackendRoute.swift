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
    /// The same, looked at in the call's own transaction.
    case idempotent
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

  /// Whether the call looks at accounts: all but the app's own reads.
  var usesData: Bool { method == .post || access != .open }

  /// The table.
  static func table(_ services: BackendServices) -> [BackendRoute] {
    let login = LoginRoutes(services: services)
    let session = SessionRoutes(services: services)
    let app = AppRoutes(services: services)
    return [
      BackendRoute(AuthEndpoints.RequestMagicLink.self, .device, login.requestMagicLink),
      BackendRoute(AuthEndpoints.RequestLoginCode.self, .device, login.requestLoginCode),
      BackendRoute(AuthEndpoints.LoginWithMagicToken.self, .device, login.loginWithMagicToken),
      BackendRoute(AuthEndpoints.LoginWithCode.self, .device, login.loginWithCode),
      BackendRoute(AuthEndpoints.RefreshTokens.self, .open, session.refresh),
      BackendRoute(AuthEndpoints.AppRefreshToken.self, .open, session.refresh),
      BackendRoute(AuthEndpoints.Logout.self, services, AccountRoutes.logout),
      BackendRoute(AccountEndpoints.Me.self, .session, app.me),
      BackendRoute(AppEndpoints.AppConfig.self, .open, app.appConfig),
      BackendRoute(AccountEndpoints.GetOrCreateProfile.self, services, AccountRoutes.getOrCreateProfile),
      BackendRoute(AccountEndpoints.SetActiveProfile.self, services, AccountRoutes.setActiveProfile),
      BackendRoute(AccountEndpoints.RequestDeletion.self, services, AccountRoutes.requestDeletion),
      BackendRoute(CueEndpoints.GetCues.self, .session, CueRoutes(services: services).getCues),
      BackendRoute(CueEndpoints.ShuffleCues.self, services, CueRoutes.shuffle),
      BackendRoute(CueEndpoints.UpdateCueStage.self, services, CueRoutes.updateStage),
      BackendRoute(AppAPIEndpoints.CallStart.self, services, AccountRoutes.startCall),
      BackendRoute(.get, swaggerPath, .open, app.swagger),
    ]
  }

  /// Where the calls are described; the description is no call, and needs no signature.
  static let swaggerPath = "/swagger.json"

  /// A row of a signed-in call that changes something.
  init<Endpoint: APIEndpoint>(
    _ endpoint: Endpoint.Type, _ services: BackendServices, _ effect: @escaping IdempotentCall.Effect
  ) {
    self.init(Endpoint.method, Endpoint.path, .idempotent, IdempotentCall(services: services, effect: effect).run)
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
