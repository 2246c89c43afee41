import Domain
import Testing

@Suite struct SwitchProfileTests {
  @Test func switchesByAccountAndLanguageOfTheProfile() async throws {
    let bench = AccountHarness(["en", "de"])
    let profile = try await SwitchProfile(gateway: bench.gateway)(profileID: "profile-de")
    #expect(profile.languageCode == "de")
    #expect(bench.calls == ["me", "set_active account de", "me"])
  }

  @Test func aProfileThatIsNotTheAccountsIsNotAskedFor() async throws {
    let bench = AccountHarness()
    await #expect(throws: AccountError.profileNotFound) {
      try await SwitchProfile(gateway: bench.gateway)(profileID: "profile-de")
    }
    #expect(bench.calls == ["me"])
  }
}
