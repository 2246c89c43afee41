import Domain
import Locking
import Testing

@Suite struct CreateProfileTests {
  @Test func tellsANewProfileFromOneThatWasThere() async throws {
    let bench = AccountHarness()
    let create = CreateProfile(gateway: bench.gateway)
    let made = try await create(languageCode: "de", config: AccountHarness.config)
    #expect(made.isNew && made.profile.profileID == "profile-de")
    #expect(try await !create(languageCode: "de", config: AccountHarness.config).isNew)
    #expect(bench.state.withLock { $0.activeProfileID } == "profile-en")
  }

  @Test(arguments: ["xx", "", "DE", "de-DE-x", "<b>", "de\u{0}", "d", "englisch"])
  func aLanguageOutsideTheConfigurationIsNotSent(code: String) async throws {
    let bench = AccountHarness()
    await #expect(throws: AccountError.unsupportedLanguage) {
      try await CreateProfile(gateway: bench.gateway)(languageCode: code, config: AccountHarness.config)
    }
    #expect(bench.calls.isEmpty)
  }

  @Test func withoutAConfigurationTheBackendJudges() async throws {
    let bench = AccountHarness()
    bench.fail("get_or_create", .unsupportedLanguage)
    await #expect(throws: AccountError.unsupportedLanguage) {
      try await CreateProfile(gateway: bench.gateway)(languageCode: "xx", config: AppConfig())
    }
    #expect(bench.calls == ["me", "get_or_create account xx"])
  }
}
