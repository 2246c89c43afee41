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
    let account = try await gateway.fetchMe()
    return AccountDashboard(account, config: (try? await fetched.get()) ?? knownConfig)
  }
}

extension Result {
  /// Runs an asynchronous body and captures its result.
  init(_ body: () async throws(Failure) -> Success) async {
    do { self = .success(try await body()) } catch { self = .failure(error) }
  }
}
