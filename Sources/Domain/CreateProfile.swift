/// Gets the account's profile for a language, or creates it (seed-rules A-32 "creates and activates profiles").
package struct CreateProfile: Sendable {
  private let gateway: AccountGateway

  package init(gateway: AccountGateway) { self.gateway = gateway }

  /// Returns the profile and whether it is new; the active profile does not change.
  ///
  /// Throws `AccountError.unsupportedLanguage`, without a call, for a language that the configuration does not contain.
  package func callAsFunction(
    languageCode raw: String, config: AppConfig
  ) async throws(AccountError) -> (profile: Profile, isNew: Bool) {
    guard config.offer.has(.profiles) else { throw .featureDisabled }
    let code = try LanguageCode(raw, in: config)
    let account = try await gateway.fetchMe()
    let profile = try await gateway.getOrCreateProfile(account.user.accountID, code.text)
    let isNew = !account.profiles.contains { $0.profileID == profile.profileID }
    if isNew { _ = try? await gateway.fetchMe() }
    return (profile, isNew)
  }
}
