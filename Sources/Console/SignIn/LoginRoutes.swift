import Client
import Domain
import HTTPTypes
import OpenAPI
import Redaction
import Server

/// The login routes; each is one user action in the network log.
enum LoginRoutes {
  /// An identifier is needed unless a backend file's call does not ask for it; of the other fields, only those that it asks for.
  private struct IdentifierBody: Decodable {
    let identifier: String?
    let password: String?
  }

  private struct PasswordBody: Decodable {
    let identifier: String?
    let password: String?
    let code: String?
  }

  private struct ReceiptBody: Codable, SchemaProvider {
    let identifierMasked: String
    let cooldownSeconds: Int
    let expiresInSeconds: Int

    static var schema: Schema {
      .recorded(from: Self.self).refined(["cooldown_seconds": .minimum(0), "expires_in_seconds": .minimum(0)])
    }
  }

  private struct LinkBody: Decodable {
    let url: String?
    let token: String?
    let state: String?
    let acceptForeign: Bool?
    let identifier: String?
    let password: String?
  }

  private struct CodeBody: Decodable {
    let identifier: String?
    let code: String
    let password: String?
  }

  static func routes(_ dependencies: Application.Dependencies) -> [ConsoleRoute] {
    let sent = Operation.Response.json("A message was sent.", ReceiptBody.self, status: .accepted)
    let signedIn = Operation.Response.json("Signed in; the browser's cookie is new.", StateBody.self)
    return [
      ConsoleRoute(
        .post, "/api/login/magic-link",
        Operation("requestMagicLink", tag: "login", "Requests a link.", request: .json(IdentifierBody.self), responses: [sent]),
        codes: .backend + [.invalidIdentifier, .cooldown, .featureDisabled, .accountTaken, .accountRefused, .requestRefused],
        .device { call, device in try await request(.magicLink, call, device, dependencies) }),
      ConsoleRoute(
        .post, "/api/login/code",
        Operation("requestLoginCode", tag: "login", "Requests a code.", request: .json(IdentifierBody.self), responses: [sent]),
        codes: .backend + [.invalidIdentifier, .cooldown, .featureDisabled, .accountTaken, .accountRefused, .requestRefused],
        .device { call, device in try await request(.loginCode, call, device, dependencies) }),
      ConsoleRoute(
        .post, "/api/login/magic-link/complete",
        Operation(
          "completeMagicLink", tag: "login",
          "Signs in with a link or its token; a link that another device requested needs accept_foreign.",
          request: .json(LinkBody.self), responses: [signedIn]),
        codes: .backend + [
          .loginLinkInvalid, .linkMalformed, .linkUntrusted, .featureDisabled, .accountTaken, .accountRefused,
        ],
        .device { call, device in try await completeMagicLink(call, device, dependencies) }),
      ConsoleRoute(
        .post, "/api/login/code/verify",
        Operation("verifyCode", tag: "login", "Signs in with a code.", request: .json(CodeBody.self), responses: [signedIn]),
        codes: .backend + [.invalidIdentifier, .loginCodeInvalid, .featureDisabled, .accountTaken, .accountRefused],
        .device { call, device in try await verifyCode(call, device, dependencies) }),
      ConsoleRoute(
        .post, "/api/login/password",
        Operation(
          "loginWithPassword", tag: "login", "Signs in with a password, which is not stored.", request: .json(PasswordBody.self),
          responses: [signedIn]),
        codes: .backend + [.invalidIdentifier, .passwordInvalid, .featureDisabled, .accountTaken, .accountRefused],
        .device { call, device in try await loginWithPassword(call, device, dependencies) }),
    ]
  }

  /// `POST /api/login/magic-link` and `/api/login/code`.
  private static func request(
    _ message: RequestLogin.Message, _ call: ConsoleCall, _ device: Device, _ dependencies: Application.Dependencies
  ) async throws -> Response {
    let body = try await call.body(IdentifierBody.self)
    let raw = try identifier(body.identifier, for: message.call, device)
    let further = try further(["password": body.password], for: message.call, device)
    try await dependencies.checkAccount(raw, call)
    let useCase = RequestLogin(gateway: device.client.auth, ledger: device.signInRequests.port, wall: dependencies.time.wall)
    let flow = Flow(name: message == .magicLink ? "request_magic_link" : "request_login_code")
    let outcome = try await Flow.$current.withValue(flow) {
      try await useCase(message, rawIdentifier: raw, further: further, config: device.config)
    }
    if message == .magicLink { await device.analytics.emit(.magicLinkRequested) }
    await device.publishState()
    return try .body(
      ReceiptBody(
        identifierMasked: outcome.identifier?.masked ?? "", cooldownSeconds: outcome.cooldownSeconds,
        expiresInSeconds: outcome.expiresInSeconds), status: .accepted)
  }

  /// `POST /api/login/magic-link/complete`.
  private static func completeMagicLink(
    _ call: ConsoleCall, _ device: Device, _ dependencies: Application.Dependencies
  ) async throws -> Response {
    let body = try await call.body(LinkBody.self)
    guard (body.url == nil) != (body.token == nil) else {
      throw Problem.invalidRequest("Send either url or token.", field: "url")
    }
    try device.require(.signInByLink)
    let isForeignAccepted = body.acceptForeign ?? false
    var further = try further(
      ["identifier": body.identifier, "password": body.password], for: "login_with_magic_token", device)
    // A file may name the parts of a link that comes in parts.
    if let token = body.token { further["link.token"] = token }
    if let state = body.state { further["link.state"] = state }
    let values = further
    let useCase = CompleteMagicLink(gateway: device.client.auth, ledger: device.signInRequests.port)
    try await signIn(device, .magicLink, Flow(name: "complete_magic_link")) {
      if let url = body.url, device.client.offer.isOfFile {
        await device.awaitConfig()
        try await useCase(
          parameters: LinkParameters(in: url), acceptForeign: isForeignAccepted, further: values,
          offer: device.client.offer)
        return
      }
      let links: [DeepLink]
      if let url = body.url {
        await device.awaitConfig()
        links = try device.linkParser.links(in: url)
      } else {
        links = [try DeepLink(token: body.token ?? "", state: body.state)]
      }
      try await useCase(links, acceptForeign: isForeignAccepted, further: values)
    }
    try await endIfTaken(call, device, dependencies, mustKnow: true)
    return try await signedIn(call, device, dependencies)
  }

  /// Ends a session whose account another person reserved. Only the sign-in shows which account a link belongs to, or that the
  /// account has another identifier than the typed one. `mustKnow` if no identifier was typed. Throws `Problem` if it ends the
  /// session.
  private static func endIfTaken(
    _ call: ConsoleCall, _ device: Device, _ dependencies: Application.Dependencies, mustKnow: Bool
  ) async throws {
    let user = await device.client.session.state.user
    do {
      try await dependencies.checkAccount([user?.email, user?.phone].compactMap(\.self), call, mustKnow: mustKnow)
    } catch {
      await Flow.$current.withValue(Flow(name: "logout")) {
        await Logout(gateway: device.client.auth, analytics: device.analytics)(reason: .user)
      }
      throw error
    }
  }

  /// `POST /api/login/code/verify`.
  private static func verifyCode(_ call: ConsoleCall, _ device: Device, _ dependencies: Application.Dependencies) async throws
    -> Response
  {
    let body = try await call.body(CodeBody.self)
    let raw = try identifier(body.identifier, for: "login_with_code", device)
    try await dependencies.checkAccount(raw, call)
    let further = try further(["password": body.password], for: "login_with_code", device)
    let useCase = LoginWithCode(gateway: device.client.auth)
    try await signIn(device, .loginCode, Flow(name: "login_with_code")) {
      try await useCase(rawIdentifier: raw, rawCode: body.code, further: further, config: device.config)
    }
    try await endIfTaken(call, device, dependencies, mustKnow: raw == nil)
    return try await signedIn(call, device, dependencies)
  }

  /// `POST /api/login/password`.
  private static func loginWithPassword(
    _ call: ConsoleCall, _ device: Device, _ dependencies: Application.Dependencies
  ) async throws -> Response {
    let body = try await call.body(PasswordBody.self)
    if let password = body.password { device.secrets.register(password, kind: .key) }
    try device.require(.signInByPassword)
    let raw = try identifier(body.identifier, for: "login_with_password", device)
    try await dependencies.checkAccount(raw, call)
    let further = try further(["code": body.code], for: "login_with_password", device)
    let useCase = LoginWithPassword(gateway: device.client.auth)
    try await signIn(device, .password, Flow(name: "login_with_password")) {
      try await useCase(rawIdentifier: raw, password: body.password ?? "", further: further, config: device.config)
    }
    try await endIfTaken(call, device, dependencies, mustKnow: raw == nil)
    return try await signedIn(call, device, dependencies)
  }

  /// The typed identifier of a call, which becomes a known secret; nil if none was typed, and the backend's file does not ask for
  /// it.
  ///
  /// Throws `Problem` if it is missing.
  private static func identifier(
    _ typed: String?, for call: String, _ device: Device
  ) throws(Problem) -> String? {
    if let typed, !typed.isEmpty {
      device.learn(typed: typed)
      return typed
    }
    let offer = device.client.offer
    guard !offer.isOfFile || offer.fields(of: call) == nil || offer.asks(call, for: "identifier") else { return nil }
    guard let typed else { throw .invalidRequest("The backend asks for this field.", field: "identifier") }
    return typed
  }

  /// The values that the backend's file asks for in addition to a call's own, which become known secrets, and `typed` by their
  /// fields.
  ///
  /// Throws `Problem` if one is missing.
  private static func further(
    _ typed: [String: String?], for call: String, _ device: Device
  ) throws(Problem) -> [String: String] {
    var values: [String: String] = [:]
    for case (let field, let value?) in typed {
      if field == "identifier" { device.learn(typed: value) } else { device.secrets.register(value, kind: .key) }
    }
    guard device.client.offer.isOfFile else { return values }
    for (field, value) in typed where device.client.offer.asks(call, for: field) {
      guard let value, !value.isEmpty, value.utf8.count <= LoginWithPassword.longest else {
        throw .invalidRequest("The backend asks for this field.", field: field)
      }
      values[field] = value
    }
    return values
  }

  /// Redeems the link or code, fetches the new session's account and reports the result to analytics (seed-rules A-21 "After a
  /// sign-in", A-22 "A sign-in reports").
  ///
  /// The sign-in stands even if the account cannot be fetched.
  private static func signIn(
    _ device: Device, _ method: AnalyticsEvent.Method, _ flow: Flow, _ redeem: () async throws -> Void
  ) async throws {
    try await Flow.$current.withValue(flow) {
      do {
        try await redeem()
      } catch let error as AuthError {
        await device.analytics.emit(.loginFailed(method, LoginFailureCategory(error)))
        throw error
      }
      _ = try? await device.loadAccount()
    }
    await device.analytics.emit(.loginSucceeded(method))
  }

  /// Answers the state with a new cookie for the browser, so that a cookie from before the sign-in is void.
  private static func signedIn(_ call: ConsoleCall, _ device: Device, _ dependencies: Application.Dependencies) async throws
    -> Response
  {
    var response = try Response.body(await device.body())
    // The proxy identifies the person.
    guard call.person == nil else { return response }
    let cookie = try await dependencies.registry.store.rotateCookie(browserID: call.browser?.id ?? device.browserID)
    response.headers[.setCookie] = dependencies.cookie.setting(cookie)
    return response
  }
}
