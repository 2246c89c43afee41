import Domain
import FoundationEssentials
import Locking
import Testing

@Suite struct RequestAccountDeletionTests {
  private func delete(
    _ bench: AccountHarness, _ confirmation: String = "DELETE", config: AppConfig = AccountHarness.config
  ) async throws -> Date {
    let logout = Logout(gateway: bench.auth, analytics: bench.analytics)
    return try await RequestAccountDeletion(gateway: bench.gateway, logout: logout)(confirmation: confirmation, config: config)
  }

  @Test func schedulesAndSignsOut() async throws {
    let bench = AccountHarness()
    #expect(try await delete(bench) == Date(timeIntervalSince1970: 1_000_000))
    #expect(bench.calls == ["delete", "logout account_deletion"])
    #expect(bench.events == [.logout(reason: .accountDeletion)])
  }

  @Test(arguments: ["", "delete", "DELETE ", "D\u{395}LETE"])
  func anythingButTheWordSendsNothing(confirmation: String) async throws {
    let bench = AccountHarness()
    await #expect(throws: AccountError.confirmationMismatch) { try await delete(bench, confirmation) }
    #expect(bench.calls.isEmpty)
  }

  @Test func whereItIsSwitchedOffNothingIsSent() async throws {
    var config = AccountHarness.config
    config.features.accountDeletion = false
    let bench = AccountHarness()
    await #expect(throws: AccountError.featureDisabled) { try await delete(bench, config: config) }
    #expect(bench.calls.isEmpty)
  }

  @Test func aLostAnswerIsLookedUpInTheAccount() async throws {
    let bench = AccountHarness()
    bench.fail("delete", .outcomeUnknown(.timeout))
    bench.state.withLock { $0.deletionScheduledFor = Date(timeIntervalSince1970: 7) }
    #expect(try await delete(bench) == Date(timeIntervalSince1970: 7))
    #expect(bench.calls == ["delete", "me", "logout account_deletion"])
  }

  @Test func aRequestThatDidNotTakeEffectFailedAndKeepsTheSession() async throws {
    let bench = AccountHarness()
    bench.fail("delete", .outcomeUnknown(.timeout))
    await #expect(throws: AccountError.failed(.timeout)) { try await delete(bench) }
    #expect(bench.calls == ["delete", "me"])
  }

  @Test func whatCannotBeLookedUpIsUnknownAndKeepsTheSession() async throws {
    let bench = AccountHarness()
    bench.fail("delete", .outcomeUnknown(.timeout))
    bench.fail("me", .failed(.offline))
    await #expect(throws: AccountError.outcomeUnknown(.timeout)) { try await delete(bench) }
    #expect(bench.calls == ["delete", "me"])
  }

  @Test func aRefusalIsNotLookedUp() async throws {
    let bench = AccountHarness()
    bench.fail("delete", .failed(.rateLimited(retryAfterSeconds: 3)))
    await #expect(throws: AccountError.failed(.rateLimited(retryAfterSeconds: 3))) { try await delete(bench) }
    #expect(bench.calls == ["delete"])
  }

  @Test func whatWasKeptDoesNotTellThatNothingIsScheduled() async throws {
    let bench = AccountHarness()
    bench.fail("delete", .outcomeUnknown(.timeout))
    bench.state.withLock { $0.source = .cache }
    await #expect(throws: AccountError.outcomeUnknown(.timeout)) { try await delete(bench) }
    #expect(bench.calls == ["delete", "me"])
  }
}
