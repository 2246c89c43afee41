package import HTTPTypes
import JSON

/// The endpoints about the app itself and the JSON that they exchange.
package enum AppEndpoints {
  package static let all: [any APIEndpoint.Type] = [AppConfig.self]

  /// `GET /rpc/app_config`: feature flags, languages and durations; needs no session.
  package struct AppConfig: APIEndpoint {
    package typealias RequestBody = NoBody
    package typealias ResponseBody = AppConfigBody
    package static let path = "/rpc/app_config"
    package static let method = HTTPRequest.Method.get
    package static let requiresAuth = false
    package static let isCacheable = true
    /// The app keeps the configuration in memory for as long as it runs.
    package static let answerLimit: Int? = 256 << 10
    package static let loggableBodies: LoggableBodies = .response
    package init() {}
  }
}

/// The response of `GET /rpc/app_config`; durations are in seconds.
///
/// The defaults of missing members are those of `AppConfig` in Domain.
package struct AppConfigBody: Codable, Hashable, Sendable {
  /// A language and its own name for itself.
  package struct Language: Codable, Hashable, Sendable {
    package let code: String
    package let name: String
    package init(code: String, name: String) {
      self.code = code
      self.name = name
    }
    enum CodingKeys: String, JSONDefaultingKey {
      case code, name
      package var fallback: JSONFallback? { self == .name ? .member(CodingKeys.code.rawValue) : nil }
    }
  }

  /// The feature flags.
  package struct Features: Codable, Hashable, Sendable {
    package let loginCode: Bool
    package let analyticsOptOut: Bool
    package let developerTools: Bool
    package let accountDeletion: Bool
    package let logoutEndpoint: Bool
    package let idempotencyKeys: Bool
    package init(
      loginCode: Bool, analyticsOptOut: Bool, developerTools: Bool, accountDeletion: Bool, logoutEndpoint: Bool,
      idempotencyKeys: Bool
    ) {
      self.loginCode = loginCode
      self.analyticsOptOut = analyticsOptOut
      self.developerTools = developerTools
      self.accountDeletion = accountDeletion
      self.logoutEndpoint = logoutEndpoint
      self.idempotencyKeys = idempotencyKeys
    }
    enum CodingKeys: String, JSONDefaultingKey {
      case loginCode = "login_code"
      case analyticsOptOut = "analytics_opt_out"
      case developerTools = "developer_tools"
      case accountDeletion = "account_deletion"
      case logoutEndpoint = "logout_endpoint"
      case idempotencyKeys = "idempotency_keys"
      package var fallback: JSONFallback? {
        switch self {
        case .loginCode, .analyticsOptOut, .accountDeletion: .json("true")
        case .developerTools, .logoutEndpoint, .idempotencyKeys: .json("false")
        }
      }
    }
  }

  /// The settings of the login pages.
  package struct Auth: Codable, Hashable, Sendable {
    package let cooldownSeconds: Int
    package let codeLength: Int
    package let trustedLinkHosts: [String]
    package init(cooldownSeconds: Int, codeLength: Int, trustedLinkHosts: [String]) {
      self.cooldownSeconds = cooldownSeconds
      self.codeLength = codeLength
      self.trustedLinkHosts = trustedLinkHosts
    }
    enum CodingKeys: String, JSONDefaultingKey {
      case cooldownSeconds = "cooldown_seconds"
      case codeLength = "code_length"
      case trustedLinkHosts = "trusted_link_hosts"
      package var fallback: JSONFallback? {
        switch self {
        case .cooldownSeconds: .json("0")
        case .codeLength: .json("6")
        case .trustedLinkHosts: .json("[]")
        }
      }
    }
  }

  /// The size of the network log, in rows.
  package struct NetworkLog: Codable, Hashable, Sendable {
    package let capacity: Int
    package init(capacity: Int) { self.capacity = capacity }
    enum CodingKeys: String, JSONDefaultingKey {
      case capacity
      package var fallback: JSONFallback? { .json("2000") }
    }
  }

  /// How long before its expiry the access token is refreshed.
  package struct Session: Codable, Hashable, Sendable {
    package let refreshMarginSeconds: Int
    package init(refreshMarginSeconds: Int) { self.refreshMarginSeconds = refreshMarginSeconds }
    enum CodingKeys: String, JSONDefaultingKey {
      case refreshMarginSeconds = "refresh_margin_seconds"
      package var fallback: JSONFallback? { .json("120") }
    }
  }

  package let defaultLanguageCode: String
  package let supportedLanguages: [Language]
  package let features: Features
  package let auth: Auth
  package let networkLog: NetworkLog
  package let session: Session

  package init(
    defaultLanguageCode: String, supportedLanguages: [Language], features: Features, auth: Auth, networkLog: NetworkLog,
    session: Session
  ) {
    self.defaultLanguageCode = defaultLanguageCode
    self.supportedLanguages = supportedLanguages
    self.features = features
    self.auth = auth
    self.networkLog = networkLog
    self.session = session
  }

  enum CodingKeys: String, JSONDefaultingKey {
    case defaultLanguageCode = "default_language_code"
    case supportedLanguages = "supported_languages"
    case features, auth
    case networkLog = "network_log"
    case session

    package var fallback: JSONFallback? {
      switch self {
      case .defaultLanguageCode: .json(#""en""#)
      case .supportedLanguages: .json("[]")
      case .features, .auth, .networkLog, .session: .json("{}")
      }
    }
  }
}
