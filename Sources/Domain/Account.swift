package import FoundationEssentials

/// Who is signed in: the few fields that the app cares about (seed 002 §3.1).
package struct User: Hashable, Sendable {
  package let userID: String
  package let accountID: String
  package let email: String?
  package let phone: String?
  package let displayName: String?
  package let roles: [String]
  package let activeProfileID: String?
  package let createdAt: Date
  /// When the account goes for good, where its deletion was requested.
  package let deletionScheduledFor: Date?

  /// Makes a user of its parts.
  package init(
    userID: String, accountID: String, email: String?, phone: String?, displayName: String?, roles: [String],
    activeProfileID: String?, createdAt: Date, deletionScheduledFor: Date?
  ) {
    self.userID = userID
    self.accountID = accountID
    self.email = email
    self.phone = phone
    self.displayName = displayName
    self.roles = roles
    self.activeProfileID = activeProfileID
    self.createdAt = createdAt
    self.deletionScheduledFor = deletionScheduledFor
  }
}

extension User {
  /// Whether the backend calls the user one who develops the product, the only ones to whom developer tools are shown (seed 002 §4.2).
  package var isDeveloper: Bool { roles.contains("developer") }
}

/// A language profile of an account (seed 002 §3.1).
package struct Profile: Hashable, Sendable {
  package let profileID: String
  package let languageCode: String
  package let displayName: String?
  package let createdAt: Date

  /// Makes a profile of its parts.
  package init(profileID: String, languageCode: String, displayName: String?, createdAt: Date) {
    self.profileID = profileID
    self.languageCode = languageCode
    self.displayName = displayName
    self.createdAt = createdAt
  }
}

/// What the backend lets the app do and how long things take: the seeds' `RuntimeConfig`.
package struct AppConfig: Hashable, Sendable {
  /// A language that a profile can have.
  package struct Language: Hashable, Sendable {
    package let code: String
    package let name: String

    /// Makes a language of its BCP 47 code and its own name.
    package init(code: String, name: String) {
      self.code = code
      self.name = name
    }
  }

  /// The switches of the product.
  package struct Features: Hashable, Sendable {
    package var loginCode = true
    package var analyticsOptOut = true
    package var developerTools = false
    package var accountDeletion = true
    package var logoutEndpoint = false
    package var idempotencyKeys = false

    /// Makes the switches that hold until the backend was heard.
    package init() {}
  }

  package var defaultLanguageCode = "en"
  package var supportedLanguages: [Language] = []
  package var features = Features()
  /// The least time between two login messages to one identifier, in seconds; none until the backend was heard.
  package var cooldownSeconds = 0
  /// How many digits a login code has.
  package var codeLength = 6
  /// Hosts whose deep links are accepted.
  package var trustedLinkHosts: [String] = []
  /// How many rows the network log keeps.
  package var networkLogCapacity = 2000
  /// How long before its expiry an access token is refreshed, in seconds.
  package var refreshMarginSeconds = 120

  /// Makes the configuration that holds until the backend was heard.
  package init() {}
}

/// What the Settings page shows in one piece (seed 002 §4.1).
package struct AccountDashboard: Hashable, Sendable {
  /// Where the data came from: the backend a moment ago, or what was kept of it while it cannot be reached.
  package enum Source: String, Sendable {
    case network, cache
  }

  package let user: User
  package let profiles: [Profile]
  package let activeProfile: Profile?
  package let config: AppConfig
  package let source: Source
  /// The fields that the backend left out and that were filled from the configuration (seed 002 §3.2).
  package let missingFields: [MissingField]

  /// Makes a dashboard of its parts.
  package init(
    user: User, profiles: [Profile], activeProfile: Profile?, config: AppConfig, source: Source, missingFields: [MissingField]
  ) {
    self.user = user
    self.profiles = profiles
    self.activeProfile = activeProfile
    self.config = config
    self.source = source
    self.missingFields = missingFields
  }
}
