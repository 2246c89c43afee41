import Domain
import Locking
import Testing

@Suite struct CreateProfileTests {
  @Test func tellsANewProfileFromOneThatWasThere() async throws {
    let bench = AccountBench()
    let create = CreateProfile(gateway: bench.gateway)
    let made = try await create(languageCode: "de", config: AccountBench.config)
    #expect(made.isNew && made.profile.profileID == "profile-de")
    #expect(try await !create(languageCode: "de", config: AccountBench.config).isNew)
    #expect(bench.state.withLock { $0.activeProfileID } == "profile-en")
  }

  @Test(arguments: ["xx", "", "DE", "de-DE-x", "<b>", "de\u{0}", "d", "englisch"])
  func aLanguageOutsideTheConfigurationIsNotSent(code: String) async throws {
    let bench = AccountBench()
    await #expect(throws: AccountError.unsupportedLanguage) {
      try await CreateProfile(gateway: bench.gateway)(languageCode: code, config: AccountBench.config)
    }
    #expect(bench.calls.isEmpty)
  }

  @Test func withoutAConfigurationTheBackendJudges() async throws {
    let bench = AccountBench()
    bench.fail("get_or_create", .unsupportedLanguage)
    await #expect(throws: AccountError.unsupportedLanguage) {
      try await CreateProfile(gateway: bench.gateway)(languageCode: "xx", config: AppConfig())
    }
    #expect(bench.calls == ["me", "get_or_create account xx"])
  }
}
