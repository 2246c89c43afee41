import Domain
import Locking
import Testing

@Suite struct UpdateLanguageTests {
  private func update(_ bench: AccountHarness, _ code: String) async throws -> Profile {
    try await UpdateLanguage(gateway: bench.gateway, preferences: bench.preferences, analytics: bench.analytics)(
      languageCode: code, config: AccountHarness.config)
  }

  @Test func makesAndUsesTheProfileAndRemembersTheLanguage() async throws {
    let bench = AccountHarness()
    #expect(try await update(bench, "de").languageCode == "de")
    #expect(bench.calls == ["me", "get_or_create account de", "set_active account de"])
    let state = bench.state.withLock { $0 }
    #expect(state.activeProfileID == "profile-de" && state.preferredLanguageCode == "de")
    #expect(bench.events.map(\.name) == ["settings.language_change"])
  }

  @Test func theSameLanguageAgainIsNoChange() async throws {
    let bench = AccountHarness()
    _ = try await update(bench, "en")
    #expect(bench.events.isEmpty)
  }

  @Test func aFailureInTheMiddleIsGoneOnFrom() async throws {
    let bench = AccountHarness()
    bench.fail("set_active", .failed(.offline))
    await #expect(throws: AccountError.failed(.offline)) { try await update(bench, "de") }
    #expect(bench.state.withLock { $0.preferredLanguageCode } == nil)
    #expect(bench.events.isEmpty)
    bench.state.withLock { $0.failures = [:] }
    #expect(try await update(bench, "de").profileID == "profile-de")
    #expect(bench.state.withLock { $0.profiles.count } == 2)
  }

  @Test func nothingIsReportedForAnAccountThatOptedOut() async throws {
    let bench = AccountHarness()
    bench.state.withLock { $0.optedOut = ["account"] }
    _ = try await update(bench, "de")
    #expect(bench.events.isEmpty)
  }
}
