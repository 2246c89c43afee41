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
    let useCase = RequestLogin(gateway: device.client.auth, ledger: device.ledger.port, wall: parts.time.wall)
    let flow = Flow(name: message == .magicLink ? "request_magic_link" : "request_login_code")
    let outcome = try await Flow.$current.withValue(flow) {
      try await useCase(message, rawIdentifier: raw, config: device.config)
    }
    await device.publishState(await device.client.session.state)
    return try .body(
      ReceiptBody(
        identifierMasked: outcome.identifier.masked, cooldownSeconds: outcome.cooldownSeconds,
        expiresInSeconds: outcome.expiresInSeconds), status: .accepted)
  }

  /// `POST /api/login/magic-link/complete`.
  static func completeMagicLink(_ call: ConsoleCall, _ device: Device, _ parts: Application.Parts) async throws -> Response {
    let body = try await call.body(LinkBody.self)
    let link: DeepLink
    switch (body.url, body.token) {
    case (let url?, nil):
      await device.awaitConfig()
      link = try device.linkParser.parse(url)
    case (nil, let token?): link = try DeepLink(token: token, state: body.state)
    default: throw Problem.invalidRequest("Either url or token is needed.", field: "url")
    }
    let useCase = CompleteMagicLink(gateway: device.client.auth, ledger: device.ledger.port)
    try await Flow.$current.withValue(Flow(name: "complete_magic_link")) {
      try await useCase(link, acceptForeign: body.acceptForeign ?? false)
      await settle(device)
    }
    return try await signedIn(device, parts)
  }

  /// `POST /api/login/code/verify`.
  static func verifyCode(_ call: ConsoleCall, _ device: Device, _ parts: Application.Parts) async throws -> Response {
    let body = try await call.body(CodeBody.self)
    let useCase = LoginWithCode(gateway: device.client.auth)
    try await Flow.$current.withValue(Flow(name: "login_with_code")) {
      try await useCase(rawIdentifier: body.identifier, rawCode: body.code, config: device.config)
      await settle(device)
    }
    return try await signedIn(device, parts)
  }

  /// Fetches the account of the new session (seed 002 §2.2); that it fails does not undo the sign-in.
  private static func settle(_ device: Device) async { _ = try? await device.loadAccount() }

  /// Answers with the state, and gives the browser a new cookie, so that one from before the sign-in is worth nothing.
  private static func signedIn(_ device: Device, _ parts: Application.Parts) async throws -> Response {
    var response = try Response.body(await device.body())
    let cookie = try await parts.registry.store.rotateCookie(browserID: device.browserID)
    response.headers[.setCookie] = parts.cookie.setting(cookie)
    return response
  }
}
