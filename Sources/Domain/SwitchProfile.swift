/// Makes another profile of the account the active one (seed-rules A-41 "switch the profile").
package struct SwitchProfile: Sendable {
  private let gateway: AccountGateway

  package init(gateway: AccountGateway) { self.gateway = gateway }

  /// Activates the profile; throws `AccountError.profileNotFound` if the account has no profile with the ID.
  ///
  /// The backend identifies profiles by account and language, so the account is fetched first.
  package func callAsFunction(profileID: String, config: AppConfig) async throws(AccountError) -> Profile {
    guard config.offer.has(.profiles) else { throw .featureDisabled }
    let account = try await gateway.fetchMe().completed(by: config)
    guard let wanted = account.profiles.first(where: { $0.profileID == profileID }) else {
      // A cached account may lack a profile that another device created.
      throw account.source == .cache ? .failed(.offline) : .profileNotFound
    }
    let profile = try await gateway.setActiveProfile(account.user.accountID, wanted.languageCode)
    // Updates the shown state of the session; the switch has succeeded even if this fails.
    _ = try? await gateway.fetchMe()
    return profile
  }
}
