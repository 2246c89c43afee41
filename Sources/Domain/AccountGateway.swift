package import FoundationEssentials

/// The signed-in user, the profiles, and where they come from.
package struct FetchedAccount: Hashable, Sendable {
  package let user: User
  package private(set) var profiles: [Profile]
  package let source: AccountDashboard.Source
  /// When the backend sent or confirmed it.
  package let syncedAt: Date

  package init(user: User, profiles: [Profile], source: AccountDashboard.Source = .network, syncedAt: Date) {
    self.user = user
    self.profiles = profiles
    self.source = source
    self.syncedAt = syncedAt
  }

  /// The account with the configuration's language for each profile that came without one (seed-rules A-34 "configuration's
  /// defaults").
  package func completed(by config: AppConfig) -> FetchedAccount {
    var account = self
    account.profiles = profiles.map { $0.completed(by: config.defaultLanguageCode) }
    return account
  }

  /// The profile that the account names, else that of the default language, else the first; nil without profiles.
  package func activeProfile(_ config: AppConfig) -> Profile? {
    profiles.first { $0.profileID == user.activeProfileID }
      ?? profiles.first { $0.languageCode == config.defaultLanguageCode } ?? profiles.first
  }
}

/// The account calls of the use cases.
package struct AccountGateway: Sendable {
  /// Fetches the signed-in user and the profiles; returns cached ones if the backend cannot be reached.
  package var fetchMe: @Sendable () async throws(AccountError) -> FetchedAccount
  /// Fetches the configuration, which needs no session.
  package var fetchAppConfig: @Sendable () async throws(AccountError) -> AppConfig
  /// Gets the account's profile for a language, or creates it; the active profile does not change (seed-rules A-32 "creates and
  /// activates profiles").
  package var getOrCreateProfile: @Sendable (_ accountID: String, _ languageCode: String) async throws(AccountError) -> Profile
  /// Makes the account's profile for a language the active one (seed-rules A-32 "creates and activates profiles").
  package var setActiveProfile: @Sendable (_ accountID: String, _ languageCode: String) async throws(AccountError) -> Profile
  /// Requests the deletion of the signed-in account and returns when it will be deleted, nil if the backend sends no date.
  ///
  /// Throws `AccountError.outcomeUnknown` if the request may have arrived but the response did not.
  package var requestDeletion: @Sendable () async throws(AccountError) -> Date?

  package init(
    fetchMe: @escaping @Sendable () async throws(AccountError) -> FetchedAccount,
    fetchAppConfig: @escaping @Sendable () async throws(AccountError) -> AppConfig,
    getOrCreateProfile: @escaping @Sendable (String, String) async throws(AccountError) -> Profile,
    setActiveProfile: @escaping @Sendable (String, String) async throws(AccountError) -> Profile,
    requestDeletion: @escaping @Sendable () async throws(AccountError) -> Date?
  ) {
    self.fetchMe = fetchMe
    self.fetchAppConfig = fetchAppConfig
    self.getOrCreateProfile = getOrCreateProfile
    self.setActiveProfile = setActiveProfile
    self.requestDeletion = requestDeletion
  }
}
