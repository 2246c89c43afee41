import Domain
import Testing

@Suite struct AnalyticsTests {
  /// Events of every case with every value that it can contain, except for languages, of which there is one of each form.
  static let events: [AnalyticsEvent] =
    [.magicLinkRequested, .settingsOpened]
    + AnalyticsEvent.Method.allCases.map { .loginSucceeded($0) }
    + AnalyticsEvent.Method.allCases.flatMap { method in
      LoginFailureCategory.allCases.map { .loginFailed(method, $0) }
    } + [.logout(reason: .user), .logout(reason: .accountDeletion)]
    + ["de", "pt-BR"].compactMap { LanguageCode($0) }.flatMap { code in
      [.languageChanged(from: nil, to: code), .languageChanged(from: code, to: code)]
    } + [true, false].map { .analyticsOptInChanged($0) }

  @Test func theSevenEventsHaveTheirNames() {
    #expect(
      Set(Self.events.map(\.name)) == [
        "auth.magic_link_requested", "auth.login_success", "auth.login_failed", "auth.logout", "settings.opened",
        "settings.language_change", "settings.analytics_opt_in_changed",
      ])
  }

  /// The values inside a value that contain no others.
  private func leaves(_ value: Any) -> [Any] {
    if value is LanguageCode { return [value] }
    let children = Mirror(reflecting: value).children
    return children.isEmpty ? [value] : children.flatMap { leaves($0.value) }
  }

  @Test func noEventHoldsAText() {
    for event in Self.events {
      for leaf in leaves(event) {
        #expect(!(leaf is String) && !(leaf is Substring) && !(leaf is [UInt8]) && !(leaf is Int), "\(event)")
      }
    }
  }

  @Test(arguments: [
    "dana@example.com", "dana", "+491711234567", "6b4f2a8e-3c1d-4f5a-9b8c-7d6e5f4a3b2c", "de-", "-de", "de-DEDEDE", "DE", "d",
    "de-1a", "", "de ", "dé",
  ])
  func noIdentifierIsALanguage(text: String) { #expect(LanguageCode(text) == nil) }

  @Test func aPageReportsOnlyWhatOnlyAPageKnows() {
    #expect(AnalyticsEvent(pageEvent: "settings.opened") == .settingsOpened)
    for name in ["auth.logout", "auth.login_success", "settings.analytics_opt_in_changed", "dana@example.com", ""] {
      #expect(AnalyticsEvent(pageEvent: name) == nil)
    }
  }

  @Test func failuresAreCoarse() {
    let all: [(AuthError, LoginFailureCategory)] = [
      (.invalidIdentifier, .invalidIdentifier), (.loginCodeInvalid, .invalidCredential), (.loginLinkInvalid, .invalidCredential),
      (.linkUntrusted, .untrustedLink), (.foreignState, .untrustedLink), (.cooldown(retryAfterSeconds: 1), .rateLimited),
      (.tooManyAttempts(retryAfterSeconds: nil), .rateLimited), (.failed(.offline), .network), (.failed(.timeout), .network),
      (.failed(.pinMismatch), .network), (.failed(.unavailable()), .backend), (.failed(.unexpectedPayload), .backend),
      (.storageFull, .device),
    ]
    for (error, category) in all { #expect(LoginFailureCategory(error) == category, "\(error)") }
  }

  private func choose(_ harness: AccountHarness, _ isOptedIn: Bool, config: AppConfig = AppConfig()) async throws {
    try await SetAnalyticsOptIn(preferences: harness.preferences, analytics: harness.analytics)(
      isOptedIn, accountID: "account", config: config)
  }

  @Test func offStopsAtOnceAndTheChangeIsTheLastEvent() async throws {
    let harness = AccountHarness()
    await harness.analytics.emit(.settingsOpened)
    try await choose(harness, false)
    try await choose(harness, false)
    for event in Self.events { await harness.analytics.emit(event) }
    await Logout(gateway: harness.auth, analytics: harness.analytics)(reason: .user)
    #expect(harness.events == [.settingsOpened, .analyticsOptInChanged(false)])
    try await choose(harness, true)
    await harness.analytics.emit(.settingsOpened)
    #expect(harness.events.suffix(2) == [.analyticsOptInChanged(true), .settingsOpened])
  }

  @Test func aChoiceThatCannotBeKeptIsNone() async throws {
    let harness = AccountHarness()
    harness.fail("opt_in", .storageFull)
    await #expect(throws: AccountError.storageFull) { try await choose(harness, false) }
    #expect(harness.events.isEmpty)
  }

  @Test func whereTheBackendForbidsItNobodyOptsOut() async throws {
    var config = AppConfig()
    config.features.analyticsOptOut = false
    let harness = AccountHarness()
    await #expect(throws: AccountError.featureDisabled) { try await choose(harness, false, config: config) }
    try await choose(harness, true, config: config)
    #expect(harness.calls == ["opt_in account true"])
  }
}
