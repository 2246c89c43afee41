/// Makes another of the account's profiles the one in use (seed 002 §4.1).
package struct SwitchProfile: Sendable {
  private let gateway: AccountGateway

  /// Makes the use case of its port.
  package init(gateway: AccountGateway) { self.gateway = gateway }

  /// Switches to the profile of the id; throws `AccountError.profileNotFound` for one that is not the account's.
  ///
  /// The backend names profiles by account and language, so both are looked up with it first: it is the source of truth.
  package func callAsFunction(profileID: String) async throws(AccountError) -> Profile {
    let account = try await gateway.fetchMe()
    guard let wanted = account.profiles.first(where: { $0.profileID == profileID }) else {
      // What was kept may lack a profile that was made elsewhere.
      throw account.source == .cache ? .failed(.offline) : .profileNotFound
    }
    let profile = try await gateway.setActiveProfile(account.user.accountID, wanted.languageCode)
    // For whoever shows the session; the switch itself is done, whether or not this arrives.
    _ = try? await gateway.fetchMe()
    return profile
  }
}
