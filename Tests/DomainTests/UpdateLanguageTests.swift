import Domain
import Locking
import Testing

@Suite struct UpdateLanguageTests {
  private func update(_ harness: AccountHarness, _ code: String) async throws -> Profile {
    try await UpdateLanguage(gateway: harness.gateway, preferences: harness.preferences, analytics: harness.analytics)(
      languageCode: code, config: AccountHarness.config)
  }

  @Test func makesAndUsesTheProfileAndRemembersTheLanguage() async throws {
    let harness = AccountHarness()
    #expect(try await update(harness, "de").languageCode == "de")
    #expect(harness.calls == ["me", "get_or_create account de", "set_active account de"])
    let state = harness.state.withLock { $0 }
    #expect(state.activeProfileID == "profile-de" && state.preferredLanguageCode == "de")
    #expect(harness.events.map(\.name) == ["settings.language_change"])
  }

  @Test func theSameLanguageAgainIsNoChange() async throws {
    let harness = AccountHarness()
    _ = try await update(harness, "en")
    #expect(harness.events.isEmpty)
  }

  @Test func aFailureInTheMiddleIsGoneOnFrom() async throws {
    let harness = AccountHarness()
    harness.fail("set_active", .failed(.offline))
    await #expect(throws: AccountError.failed(.offline)) { try await update(harness, "de") }
    #expect(harness.state.withLock { $0.preferredLanguageCode } == nil)
    #expect(harness.events.isEmpty)
    harness.state.withLock { $0.failures = [:] }
    #expect(try await update(harness, "de").profileID == "profile-de")
    #expect(harness.state.withLock { $0.profiles.count } == 2)
  }

  @Test func nothingIsReportedForAnAccountThatOptedOut() async throws {
    let harness = AccountHarness()
    harness.state.withLock { $0.optedOut = ["account"] }
    _ = try await update(harness, "de")
    #expect(harness.events.isEmpty)
  }
}
