/// Fetches the account data of the Settings page and fills missing fields from the configuration (seed-rules A-8 "loads the
/// account dashboard", A-34 "configuration's defaults").
package struct LoadAccountDashboard: Sendable {
  private let gateway: AccountGateway

  package init(gateway: AccountGateway) { self.gateway = gateway }

  /// Fetches the account and the configuration concurrently.
  ///
  /// Uses `knownConfig` if the configuration cannot be fetched; throws if the account cannot be fetched.
  package func callAsFunction(knownConfig: AppConfig) async throws(AccountError) -> AccountDashboard {
    async let fetched = Result { () async throws(AccountError) in try await gateway.fetchAppConfig() }
    let received = try await gateway.fetchMe()
    let config = (try? await fetched.get()) ?? knownConfig
    let account = received.completed(by: config)
    let (user, profiles) = (account.user, account.profiles)
    var missing: [MissingField] = []
    if user.activeProfileID == nil { missing.append(.activeProfileID) }
    if profiles.isEmpty { missing.append(.profiles) }
    return AccountDashboard(
      user: user, profiles: profiles, activeProfile: account.activeProfile(config), config: config, source: account.source,
      missingFields: missing)
  }
}

extension Result {
  /// Runs an asynchronous body and captures its result.
  init(_ body: () async throws(Failure) -> Success) async {
    do { self = .success(try await body()) } catch { self = .failure(error) }
  }
}
