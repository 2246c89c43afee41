import HTTPTypes
import OpenAPI
import RPC
import Storage
import Vault

/// The configuration of the app, and the start of phone calls.
struct BackendAppRoutes: Sendable {
  let services: BackendServices

  var routes: [BackendRoute] {
    [
      BackendRoute(
        AppEndpoints.AppConfig.self,
        RouteDescription(
          tag: .account, summary: "Returns feature flags, languages and durations.",
          success: [.ok: "The configuration, which may be cached for 300 s."]),
        handler: appConfig),
      BackendRoute(
        AppAPIEndpoints.CallStart.self,
        RouteDescription(
          tag: .session, summary: "Starts a phone call.", success: [.ok: "The call was started."],
          request: .request(CallStartRequest.self)
            .refined(["callee": .length(1...Self.maximumCalleeLength) && .noControlCharacters])),
        services: services, effect: Self.startCall),
    ]
  }

  /// The longest callee, in Unicode scalars.
  private static let maximumCalleeLength = 320

  /// `GET /rpc/app_config`.
  private func appConfig(_ call: BackendCall) async throws -> Answer {
    // Without the database, the last values of this backend are sufficient.
    try? await services.catchUp()
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

  /// `POST /app/api/call/start`: returns an id; no call takes place.
  private static func startCall(_ transaction: any StorageTransaction, _ call: BackendCall, _ session: Session) throws -> Answer {
    let body = try call.decode(CallStartRequest.self)
    guard (1...maximumCalleeLength).contains(body.callee.unicodeScalars.count), !body.callee.hasControlCharacters else {
      throw BackendFailure.invalidRequest(
        "The callee must have 1 to \(maximumCalleeLength) characters and no control characters.")
    }
    return try .json(CallStartReceipt(callID: SecureRandom.uuid()))
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

extension AppConfigBody: DescribedBody {
  static let schema = Schema.recorded(from: AppConfigBody.self)
    .refined([
      "supported_languages.name": .minimumLength(1), "auth.cooldown_seconds": .minimum(0), "auth.code_length": .minimum(1),
      "network_log.capacity": .minimum(1), "session.refresh_margin_seconds": .minimum(0),
    ])
    .replacing(["default_language_code": .languageCode, "supported_languages.code": .languageCode]).named("AppConfig")
}

extension CallStartReceipt: DescribedBody {
  static let schema = Schema.recorded(from: CallStartReceipt.self).refined(["call_id": .uuid])
}
