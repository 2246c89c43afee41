/// Learns in another language: its profile is got or made, and becomes the one in use (seed 002 §4.1, `selectLanguage`).
package struct UpdateLanguage: Sendable {
  private let gateway: AccountGateway
  private let preferences: AccountPreferences
  private let analytics: Analytics

  /// Makes the use case of its ports.
  package init(gateway: AccountGateway, preferences: AccountPreferences, analytics: Analytics) {
    self.gateway = gateway
    self.preferences = preferences
    self.analytics = analytics
  }

  /// Changes the language and returns the profile that is in use then.
  ///
  /// Each step may be repeated: a failure in the middle leaves a profile that exists and is not in use, and asking again goes
  /// on from there. Throws `AccountError.unsupportedLanguage` without a call for a language that the configuration does not name.
  package func callAsFunction(languageCode raw: String, config: AppConfig) async throws(AccountError) -> Profile {
    let code = try LanguageCode(raw, in: config)
    let account = try await gateway.fetchMe()
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
