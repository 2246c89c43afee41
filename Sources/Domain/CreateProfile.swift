/// Gets the account's profile of a language, made where there is none (seed 002 §3.2).
package struct CreateProfile: Sendable {
  private let gateway: AccountGateway

  /// Makes the use case of its port.
  package init(gateway: AccountGateway) { self.gateway = gateway }

  /// Returns the profile, and whether it is new; the active one stays.
  ///
  /// Throws `AccountError.unsupportedLanguage` for a language that the configuration does not name; nothing is sent then.
  package func callAsFunction(
    languageCode raw: String, config: AppConfig
  ) async throws(AccountError) -> (profile: Profile, isNew: Bool) {
    let code = try LanguageCode(raw, in: config)
    let account = try await gateway.fetchMe()
    let profile = try await gateway.getOrCreateProfile(account.user.accountID, code.text)
    let isNew = !account.profiles.contains { $0.profileID == profile.profileID }
    if isNew { _ = try? await gateway.fetchMe() }
    return (profile, isNew)
  }
}
