import Domain
import FoundationEssentials
import Locking

/// An in-memory account behind the gateways of the account's use cases; records the calls in order.
final class AccountHarness: Sendable {
  struct State {
    var profiles: [Profile]
    var activeProfileID: String?
    var deletionScheduledFor: Date?
    /// When a deletion is scheduled for, as the answer to the request says; nil if it does not.
    var deletionDate: Date? = Date(timeIntervalSince1970: 1_000_000)
    /// The errors of calls by name.
    var failures: [String: AccountError] = [:]
    var calls: [String] = []
    var source = AccountDashboard.Source.network
    var optedOut: Set<String> = []
    var preferredLanguageCode: String?
    var events: [AnalyticsEvent] = []
  }

  let state: Locked<State>

  init(_ languages: [String] = ["en"], active: String? = "en") {
    state = Locked(
      State(profiles: languages.map { Self.profile($0) }, activeProfileID: active.map { "profile-\($0)" }))
  }

  static func profile(_ language: String) -> Profile {
    Profile(
      profileID: "profile-\(language)", languageCode: language, displayName: nil, createdAt: Date(timeIntervalSince1970: 0))
  }

  static let config: AppConfig = {
    var config = AppConfig()
    config.supportedLanguages = ["en", "de", "fr"].map { .init(code: $0, name: $0) }
    return config
  }()

  /// Makes a call fail from now on.
  func fail(_ call: String, _ error: AccountError) { state.withLock { $0.failures[call] = error } }

  var calls: [String] { state.withLock { $0.calls } }
  var events: [AnalyticsEvent] { state.withLock { $0.events } }

  var gateway: AccountGateway {
    AccountGateway(
      fetchMe: { () async throws(AccountError) in
        try self.begin("me")
        return self.state.withLock {
          FetchedAccount(user: Self.user($0), profiles: $0.profiles, source: $0.source, syncedAt: Date(timeIntervalSince1970: 0))
        }
      },
      fetchAppConfig: { () async throws(AccountError) in
        try self.begin("config")
        return Self.config
      },
      getOrCreateProfile: { accountID, code async throws(AccountError) in
        try self.begin("get_or_create \(accountID) \(code)")
        return self.state.withLock { state in
          if let profile = state.profiles.first(where: { $0.languageCode == code }) { return profile }
          state.profiles.append(Self.profile(code))
          return Self.profile(code)
        }
      },
      setActiveProfile: { accountID, code async throws(AccountError) in
        try self.begin("set_active \(accountID) \(code)")
        self.state.withLock { $0.activeProfileID = "profile-\(code)" }
        return Self.profile(code)
      },
      requestDeletion: { () async throws(AccountError) in
        try self.begin("delete")
        return self.state.withLock { state in
          if let date = state.deletionDate { state.deletionScheduledFor = date }
          return state.deletionDate
        }
      })
  }

  var auth: AuthGateway {
    AuthGateway(
      requestMagicLink: { _, _, _ async throws(AuthError) in throw .featureDisabled },
      requestLoginCode: { _, _ async throws(AuthError) in throw .featureDisabled },
      redeemMagicToken: { _, _, _ async throws(AuthError) in }, redeemCode: { _, _, _ async throws(AuthError) in },
      redeemPassword: { _, _, _ async throws(AuthError) in },
      logout: { reason in self.state.withLock { $0.calls.append("logout \(reason.rawValue)") } })
  }

  var preferences: AccountPreferences {
    AccountPreferences(
      analyticsOptedIn: { account in self.isOptedIn(account) },
      setAnalyticsOptedIn: { account, isOptedIn async throws(AccountError) in
        try self.begin("opt_in \(account) \(isOptedIn)")
        self.state.withLock { state in
          if isOptedIn { state.optedOut.remove(account) } else { state.optedOut.insert(account) }
        }
      },
      preferredLanguageCode: { self.state.withLock { $0.preferredLanguageCode } },
      setPreferredLanguageCode: { code in self.state.withLock { $0.preferredLanguageCode = code } })
  }

  var analytics: Analytics {
    Analytics(
      isOptedIn: { self.isOptedIn($0) }, accountID: { "account" },
      sink: { event in self.state.withLock { $0.events.append(event) } })
  }

  private func isOptedIn(_ account: String?) -> Bool {
    state.withLock { state in account.map { !state.optedOut.contains($0) } ?? state.optedOut.isEmpty }
  }

  private func begin(_ call: String) throws(AccountError) {
    let failure = state.withLock { state in
      state.calls.append(call)
      return state.failures[String(call.prefix { $0 != " " })]
    }
    if let failure { throw failure }
  }

  private static func user(_ state: State) -> User {
    User(
      userID: "user", accountID: "account", email: "dana@example.com", phone: nil, displayName: nil, roles: [],
      activeProfileID: state.activeProfileID, createdAt: Date(timeIntervalSince1970: 0),
      deletionScheduledFor: state.deletionScheduledFor)
  }
}
