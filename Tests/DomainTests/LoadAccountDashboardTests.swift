import Domain
import FoundationEssentials
import Testing

@Suite struct LoadAccountDashboardTests {
  static let german = Profile(profileID: "p2", languageCode: "de", displayName: nil, createdAt: .now)
  static let english = Profile(profileID: "p1", languageCode: "en", displayName: nil, createdAt: .now)

  static func user(active: String?) -> User {
    User(
      userID: "u", accountID: "a", email: "a@b.co", phone: nil, displayName: nil, roles: [], activeProfileID: active,
      createdAt: .now, deletionScheduledFor: nil)
  }

  func load(active: String?, profiles: [Profile], config: Result<AppConfig, AccountError>) async throws -> AccountDashboard {
    let gateway = AccountGateway(
      fetchMe: { () async throws(AccountError) in
        FetchedAccount(
          user: Self.user(active: active), profiles: profiles, source: .cache, syncedAt: Date(timeIntervalSince1970: 0))
      },
      fetchAppConfig: { () async throws(AccountError) in try config.get() },
      getOrCreateProfile: { _, _ async throws(AccountError) in throw .profileNotFound },
      setActiveProfile: { _, _ async throws(AccountError) in throw .profileNotFound },
      requestDeletion: { () async throws(AccountError) in throw .featureDisabled })
    return try await LoadAccountDashboard(gateway: gateway)(knownConfig: AppConfig())
  }

  @Test func fillsWhatTheBackendLeftOut() async throws {
    var config = AppConfig()
    config.defaultLanguageCode = "en"
    let dashboard = try await load(active: nil, profiles: [Self.german, Self.english], config: .success(config))
    #expect(dashboard.activeProfile == Self.english)
    #expect(dashboard.missingFields == [.activeProfileID])
    let empty = try await load(active: nil, profiles: [], config: .success(config))
    #expect(empty.missingFields == [.activeProfileID, .profiles])
  }

  @Test func aProfileWithoutALanguageHasTheDefaultOne() async throws {
    var config = AppConfig()
    config.defaultLanguageCode = "pl"
    let nameless = Profile(profileID: "p3", languageCode: "und", displayName: nil, createdAt: nil)
    let dashboard = try await load(active: nil, profiles: [Self.german, nameless], config: .success(config))
    #expect(dashboard.profiles.map(\.languageCode) == ["de", "pl"])
    #expect(dashboard.activeProfile?.profileID == "p3", "it is that of the default language")
    let named = try await load(active: "p2", profiles: [Self.german, nameless], config: .success(config))
    #expect(named.activeProfile == Self.german)
  }

  @Test func showsTheAccountWithoutTheConfiguration() async throws {
    let dashboard = try await load(active: "p2", profiles: [Self.german, Self.english], config: .failure(.failed(.offline)))
    #expect(dashboard.activeProfile == Self.german)
    #expect(dashboard.missingFields.isEmpty)
    #expect(dashboard.source == .cache)
    #expect(dashboard.config == AppConfig())
  }
}
