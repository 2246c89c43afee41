import Client
import Domain
import HTTPTypes
import Server

/// The four login routes (contract §2.3); each is one user action in the network log.
enum LoginRoutes {
  private struct IdentifierBody: Decodable {
    let identifier: String
  }

  private struct ReceiptBody: Encodable {
    let identifierMasked: String
    let cooldownSeconds: Int
    let expiresInSeconds: Int
  }

  private struct LinkBody: Decodable {
    let url: String?
    let token: String?
    let state: String?
    let acceptForeign: Bool?
  }

  private struct CodeBody: Decodable {
    let identifier: String
    let code: String
  }

  /// `POST /api/login/magic-link` and `/api/login/code`.
  static func request(
    _ message: RequestLogin.Message, _ call: ConsoleCall, _ device: Device, _ parts: Application.Parts
  ) async throws -> Response {
    let raw = try await call.body(IdentifierBody.self).identifier
    device.learn(typed: raw)
    let useCase = RequestLogin(gateway: device.client.auth, ledger: device.ledger.port, wall: parts.time.wall)
    let flow = Flow(name: message == .magicLink ? "request_magic_link" : "request_login_code")
    let outcome = try await Flow.$current.withValue(flow) {
      try await useCase(message, rawIdentifier: raw, config: device.config)
    }
    if message == .magicLink { await device.analytics.emit(.magicLinkRequested) }
    await device.publishState(await device.client.session.state)
    return try .body(
      ReceiptBody(
        identifierMasked: outcome.identifier.masked, cooldownSeconds: outcome.cooldownSeconds,
        expiresInSeconds: outcome.expiresInSeconds), status: .accepted)
  }

  /// `POST /api/login/magic-link/complete`.
  static func completeMagicLink(_ call: ConsoleCall, _ device: Device, _ parts: Application.Parts) async throws -> Response {
    let body = try await call.body(LinkBody.self)
    guard (body.url == nil) != (body.token == nil) else {
      throw Problem.invalidRequest("Either url or token is needed.", field: "url")
    }
    let useCase = CompleteMagicLink(gateway: device.client.auth, ledger: device.ledger.port)
    try await signIn(device, .magicLink, Flow(name: "complete_magic_link")) {
      let link: DeepLink
      if let url = body.url {
        await device.awaitConfig()
        link = try device.linkParser.parse(url)
      } else {
        link = try DeepLink(token: body.token ?? "", state: body.state)
      }
      try await useCase(link, acceptForeign: body.acceptForeign ?? false)
    }
    return try await signedIn(call, device, parts)
  }

  /// `POST /api/login/code/verify`.
  static func verifyCode(_ call: ConsoleCall, _ device: Device, _ parts: Application.Parts) async throws -> Response {
    let body = try await call.body(CodeBody.self)
    device.learn(typed: body.identifier)
    let useCase = LoginWithCode(gateway: device.client.auth)
    try await signIn(device, .loginCode, Flow(name: "login_with_code")) {
      try await useCase(rawIdentifier: body.identifier, rawCode: body.code, config: device.config)
    }
    return try await signedIn(call, device, parts)
  }

  /// Redeems, fetches the account of the new session (seed 002 §2.2) and reports how it went; that the account cannot be
  /// fetched does not undo the sign-in.
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

  /// Answers with the state, and gives the browser a new cookie, so that one from before the sign-in is worth nothing.
  private static func signedIn(_ call: ConsoleCall, _ device: Device, _ parts: Application.Parts) async throws -> Response {
    var response = try Response.body(await device.body())
    let cookie = try await parts.registry.store.rotateCookie(browserID: call.browser?.id ?? device.browserID)
    response.headers[.setCookie] = parts.cookie.setting(cookie)
    return response
  }
}
