import GRDB
import HTTPTypes
import RPC

/// The configuration of the app and the description of the API.
struct AppRoutes: Sendable {
  let services: BackendServices

  /// `GET /rpc/me`.
  func me(_ call: Call) async throws -> Answer {
    let session = try call.requiredSession()
    let body = try await services.database.read { db in try Account.find(db, accountID: session.accountID)?.body(db) }
    guard let body else { throw BackendFailure.invalidToken }
    return try .json(body, caching: .privateNoCache)
  }

  /// `GET /rpc/app_config`.
  func appConfig(_ call: Call) async throws -> Answer {
    let body = AppConfigBody(
      defaultLanguageCode: Account.defaultLanguage, supportedLanguages: Self.languages,
      features: AppConfigBody.Features(
        loginCode: true, analyticsOptOut: true, developerTools: true, accountDeletion: true, logoutEndpoint: true,
        idempotencyKeys: true),
      auth: AppConfigBody.Auth(
        cooldownSeconds: services.limits.mode.cooldownSeconds, codeLength: Lifetimes.codeLength,
        trustedLinkHosts: [services.linkBase.host]),
      networkLog: AppConfigBody.NetworkLog(capacity: 2000),
      session: AppConfigBody.Session(refreshMarginSeconds: 120))
    return try .json(body, caching: .maxAge(300))
  }

  /// `GET /swagger.json`: the API as an OpenAPI 3.1 document.
  func swagger(_ call: Call) async throws -> Answer {
    Answer(status: .ok, body: Array(APIDescription.text.utf8), caching: .maxAge(300))
  }

  /// The supported languages, each with its own name for itself.
  static let languages = [
    AppConfigBody.Language(code: "en", name: "English"),
    AppConfigBody.Language(code: "de", name: "Deutsch"),
    AppConfigBody.Language(code: "fr", name: "Français"),
    AppConfigBody.Language(code: "es", name: "Español"),
    AppConfigBody.Language(code: "pl", name: "Polski"),
    AppConfigBody.Language(code: "ja", name: "日本語"),
    AppConfigBody.Language(code: "ar", name: "العربية"),
    AppConfigBody.Language(code: "he", name: "עברית"),
  ]
}
