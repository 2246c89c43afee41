package import Domain
import FoundationEssentials
import JSON
package import OpenAPI
package import RPC

/// Whether a user gets developer tools: both the backend's flag and the user's role are needed (seed-rules N-74 "only if flags
/// allow it").
struct DeveloperBody: Codable, Hashable {
  /// Both `flag` and `role`.
  let tools: Bool
  let flag: Bool
  let role: Bool

  init(_ user: User, _ config: AppConfig) {
    flag = config.features.developerTools
    role = user.isDeveloper
    tools = flag && role
  }
}

/// The JSON of `GET /api/account`.
struct AccountBody: Codable {
  let user: User
  let profiles: [Profile]
  let activeProfile: Profile?
  let config: AppConfigBody
  let settings: Settings
  let developer: DeveloperBody
  let source: String
  /// When the backend sent or confirmed the account.
  let syncedAt: Timestamp

  init(_ dashboard: AccountDashboard, settings: Settings) {
    user = dashboard.user
    profiles = dashboard.profiles
    activeProfile = dashboard.activeProfile
    config = AppConfigBody(dashboard.config)
    self.settings = settings
    developer = DeveloperBody(dashboard.user, dashboard.config)
    source = dashboard.source.word
    syncedAt = Timestamp(dashboard.syncedAt)
  }
}

extension AppConfigBody {
  init(_ config: AppConfig) {
    self.init(
      defaultLanguageCode: config.defaultLanguageCode,
      supportedLanguages: config.supportedLanguages.map { Language(code: $0.code, name: $0.name) },
      features: Features(
        loginCode: config.features.loginCode, analyticsOptOut: config.features.analyticsOptOut,
        developerTools: config.features.developerTools, accountDeletion: config.features.accountDeletion,
        logoutEndpoint: config.features.logoutEndpoint, idempotencyKeys: config.features.idempotencyKeys),
      auth: Auth(
        cooldownSeconds: config.cooldownSeconds, codeLength: config.codeLength, trustedLinkHosts: config.trustedLinkHosts),
      networkLog: NetworkLog(capacity: config.networkLogCapacity),
      session: Session(refreshMarginSeconds: config.refreshMarginSeconds))
  }
}

extension User: SchemaProvider {
  package static var schema: Schema { .recorded(from: Self.self).named("User") }
}

extension DeveloperBody: SchemaProvider {
  static var schema: Schema { .recorded(from: Self.self).named("Developer") }
}

extension AccountBody: SchemaProvider {
  static var schema: Schema {
    .recorded(from: Self.self).refined(["source": .oneOf(sources)]).named("Account")
  }

  /// The words of `AccountDashboard.Source`.
  static let sources = ["network", "cache"]
}

extension AccountDashboard.Source {
  /// `cache` if the backend failed and the device's cache stood in, otherwise `network`.
  var word: String { self == .cache ? "cache" : "network" }
}

extension Profile: SchemaProvider {
  package static var schema: Schema { .recorded(from: Self.self).named("Profile") }
}

/// The backend's own body, as the console passes it on.
extension AppConfigBody: SchemaProvider {
  package static var schema: Schema {
    .recorded(from: Self.self).refined([
      "auth.cooldown_seconds": .minimum(0), "auth.code_length": .minimum(1), "network_log.capacity": .minimum(1),
      "session.refresh_margin_seconds": .minimum(0),
    ]).named("Config")
  }
}
