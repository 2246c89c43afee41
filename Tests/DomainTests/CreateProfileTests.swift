import Domain
import Locking
import Testing

@Suite struct CreateProfileTests {
  @Test func tellsANewProfileFromOneThatWasThere() async throws {
    let harness = AccountHarness()
    let create = CreateProfile(gateway: harness.gateway)
    let made = try await create(languageCode: "de", config: AccountHarness.config)
    #expect(made.isNew && made.profile.profileID == "profile-de")
    #expect(try await !create(languageCode: "de", config: AccountHarness.config).isNew)
    #expect(harness.state.withLock { $0.activeProfileID } == "profile-en")
  }

  @Test(arguments: ["xx", "", "DE", "de-DE-x", "<b>", "de\u{0}", "d", "englisch"])
  func aLanguageOutsideTheConfigurationIsNotSent(code: String) async throws {
    let harness = AccountHarness()
    await #expect(throws: AccountError.unsupportedLanguage) {
      try await CreateProfile(gateway: harness.gateway)(languageCode: code, config: AccountHarness.config)
    }
    #expect(harness.calls.isEmpty)
  }

  @Test func withoutAConfigurationTheBackendJudges() async throws {
    let harness = AccountHarness()
    harness.fail("get_or_create", .unsupportedLanguage)
    await #expect(throws: AccountError.unsupportedLanguage) {
      try await CreateProfile(gateway: harness.gateway)(languageCode: "xx", config: AppConfig())
    }
    #expect(harness.calls == ["me", "get_or_create account xx"])
  }
}
