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

  package let user: User
  package let profiles: [Profile]
  package let activeProfile: Profile?
  package let config: AppConfig
  package let source: Source
  /// The fields that the backend omitted, filled from the configuration (seed-rules A-34 "configuration's defaults").
  package let missingFields: [MissingField]

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
