import Domain
import FoundationEssentials
import Locking
import Testing

@Suite struct RequestAccountDeletionTests {
  private func delete(
    _ harness: AccountHarness, _ confirmation: String = "DELETE", config: AppConfig = AccountHarness.config
  ) async throws -> Date? {
    let logout = Logout(gateway: harness.auth, analytics: harness.analytics)
    return try await RequestAccountDeletion(gateway: harness.gateway, logout: logout)(confirmation: confirmation, config: config)
  }

  @Test func schedulesAndSignsOut() async throws {
    let harness = AccountHarness()
    #expect(try await delete(harness) == Date(timeIntervalSince1970: 1_000_000))
    #expect(harness.calls == ["delete", "logout account_deletion"])
    #expect(harness.events == [.logout(reason: .accountDeletion)])
  }

  @Test(arguments: [Date(timeIntervalSince1970: 7), nil] as [Date?])
  func anAnswerWithoutADateIsLookedUpInTheAccount(date: Date?) async throws {
    let harness = AccountHarness()
    harness.state.withLock { $0.deletionDate = nil }
    harness.state.withLock { $0.deletionScheduledFor = date }
    #expect(try await delete(harness) == date)
    #expect(harness.calls == ["delete", "me", "logout account_deletion"])
  }

  @Test func aDateThatCannotBeLookedUpIsUnknownAndTheDeletionStands() async throws {
    let harness = AccountHarness()
    harness.state.withLock { $0.deletionDate = nil }
    harness.fail("me", .failed(.offline))
    #expect(try await delete(harness) == nil)
    #expect(harness.calls == ["delete", "me", "logout account_deletion"])
  }

  @Test(arguments: ["", "delete", "DELETE ", "D\u{395}LETE"])
  func anythingButTheWordSendsNothing(confirmation: String) async throws {
    let harness = AccountHarness()
    await #expect(throws: AccountError.confirmationMismatch) { try await delete(harness, confirmation) }
    #expect(harness.calls.isEmpty)
  }

  @Test func whereItIsSwitchedOffNothingIsSent() async throws {
    var config = AccountHarness.config
    config.features.accountDeletion = false
    let harness = AccountHarness()
    await #expect(throws: AccountError.featureDisabled) { try await delete(harness, config: config) }
    #expect(harness.calls.isEmpty)
  }

  @Test func aLostAnswerIsLookedUpInTheAccount() async throws {
    let harness = AccountHarness()
    harness.fail("delete", .outcomeUnknown(.timeout))
    harness.state.withLock { $0.deletionScheduledFor = Date(timeIntervalSince1970: 7) }
    #expect(try await delete(harness) == Date(timeIntervalSince1970: 7))
    #expect(harness.calls == ["delete", "me", "logout account_deletion"])
  }

  @Test func aRequestThatDidNotTakeEffectFailedAndKeepsTheSession() async throws {
    let harness = AccountHarness()
    harness.fail("delete", .outcomeUnknown(.timeout))
    await #expect(throws: AccountError.failed(.timeout)) { try await delete(harness) }
    #expect(harness.calls == ["delete", "me"])
  }

  @Test func whatCannotBeLookedUpIsUnknownAndKeepsTheSession() async throws {
    let harness = AccountHarness()
    harness.fail("delete", .outcomeUnknown(.timeout))
    harness.fail("me", .failed(.offline))
    await #expect(throws: AccountError.outcomeUnknown(.timeout)) { try await delete(harness) }
    #expect(harness.calls == ["delete", "me"])
  }

  @Test func aRefusalIsNotLookedUp() async throws {
    let harness = AccountHarness()
    harness.fail("delete", .failed(.rateLimited(retryAfterSeconds: 3)))
    await #expect(throws: AccountError.failed(.rateLimited(retryAfterSeconds: 3))) { try await delete(harness) }
    #expect(harness.calls == ["delete"])
  }

  @Test func whatWasKeptDoesNotTellThatNothingIsScheduled() async throws {
    let harness = AccountHarness()
    harness.fail("delete", .outcomeUnknown(.timeout))
    harness.state.withLock { $0.source = .cache }
    await #expect(throws: AccountError.outcomeUnknown(.timeout)) { try await delete(harness) }
    #expect(harness.calls == ["delete", "me"])
  }
}
