package import FoundationEssentials

/// The account data of the Settings page (seed-rules A-37 to A-39 "Settings show").
package struct AccountDashboard: Hashable, Sendable {
  /// Where the data came from.
  package enum Source: Sendable {
    /// The backend sent or confirmed it.
    case network
    /// The cache, within the lifetime that the backend gave it.
    case freshCache
    /// The cache, because the backend is unreachable.
    case cache
  }

  /// The account, completed by the configuration.
  package let account: FetchedAccount
  package let activeProfile: Profile?
  package let config: AppConfig
  /// The fields that the backend omitted, filled from the configuration (seed-rules A-34 "configuration's defaults").
  package let missingFields: [MissingField]

  /// Completes the account by the configuration.
  init(_ fetched: FetchedAccount, config: AppConfig) {
    account = fetched.completed(by: config)
    activeProfile = account.activeProfile(config)
    self.config = config
    missingFields =
      (account.user.activeProfileID == nil ? [.activeProfileID] : []) + (account.profiles.isEmpty ? [.profiles] : [])
  }

  package var user: User { account.user }
  package var profiles: [Profile] { account.profiles }
  package var source: Source { account.source }
  package var syncedAt: Date { account.syncedAt }
}
