import Domain
import Testing

@Suite struct SwitchProfileTests {
  @Test func switchesByAccountAndLanguageOfTheProfile() async throws {
    let harness = AccountHarness(["en", "de"])
    let profile = try await SwitchProfile(gateway: harness.gateway)(profileID: "profile-de", config: AppConfig())
    #expect(profile.languageCode == "de")
    #expect(harness.calls == ["me", "set_active account de", "me"])
  }

  @Test func aProfileThatIsNotTheAccountsIsNotAskedFor() async throws {
    let harness = AccountHarness()
    await #expect(throws: AccountError.profileNotFound) {
      try await SwitchProfile(gateway: harness.gateway)(profileID: "profile-de", config: AppConfig())
    }
    #expect(harness.calls == ["me"])
  }
}
