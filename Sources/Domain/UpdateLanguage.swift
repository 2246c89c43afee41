/// Changes the language: gets or creates its profile and makes that the active one (seed-rules A-41 "select a language").
package struct UpdateLanguage: Sendable {
  private let gateway: AccountGateway
  private let preferences: AccountPreferences
  private let analytics: Analytics

  package init(gateway: AccountGateway, preferences: AccountPreferences, analytics: Analytics) {
    self.gateway = gateway
    self.preferences = preferences
    self.analytics = analytics
  }

  /// Changes the language and returns the new active profile.
  ///
  /// Every step can be repeated: after a failure in between, the profile exists but is not active, and a second call continues from
  /// there. Throws `AccountError.unsupportedLanguage`, without a call, for a language that the configuration does not contain.
  package func callAsFunction(languageCode raw: String, config: AppConfig) async throws(AccountError) -> Profile {
    guard config.offer.has(.profiles) else { throw .featureDisabled }
    let code = try LanguageCode(raw, in: config)
    let account = try await gateway.fetchMe().completed(by: config)
    let user = account.user
    let before = account.profiles.first { $0.profileID == user.activeProfileID }?.languageCode
    _ = try await gateway.getOrCreateProfile(user.accountID, code.text)
    let profile = try await gateway.setActiveProfile(user.accountID, code.text)
    await preferences.setPreferredLanguageCode(code.text)
    if before != code.text {
      let from = before.flatMap { LanguageCode($0) }
      await analytics.emit(.languageChanged(from: from, to: code), account: user.accountID)
    }
    return profile
  }
}
