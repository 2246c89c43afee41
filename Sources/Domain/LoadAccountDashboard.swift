/// Fetches what the Settings page shows; fills what the backend left out from the configuration (seed 002 §3.2).
package struct LoadAccountDashboard: Sendable {
  private let gateway: AccountGateway

  /// Makes the use case of its port.
  package init(gateway: AccountGateway) { self.gateway = gateway }

  /// Fetches account and configuration side by side.
  ///
  /// Without the configuration the account still shows, with what was known before; without the account nothing does.
  package func callAsFunction(knownConfig: AppConfig) async throws(AccountError) -> AccountDashboard {
    async let fetched = Result { () async throws(AccountError) in try await gateway.fetchAppConfig() }
    let account = try await gateway.fetchMe()
    let (user, profiles) = (account.user, account.profiles)
    let config = (try? await fetched.get()) ?? knownConfig
    var missing: [MissingField] = []
    if user.activeProfileID == nil { missing.append(.activeProfileID) }
    if profiles.isEmpty { missing.append(.profiles) }
    let active =
      profiles.first { $0.profileID == user.activeProfileID }
      ?? profiles.first { $0.languageCode == config.defaultLanguageCode } ?? profiles.first
    return AccountDashboard(
      user: user, profiles: profiles, activeProfile: active, config: config, source: account.source, missingFields: missing)
  }
}

extension Result {
  /// Runs an asynchronous body and keeps how it ended.
  init(_ body: () async throws(Failure) -> Success) async {
    do { self = .success(try await body()) } catch { self = .failure(error) }
  }
}
