import Client
import Domain
import Storage
import Support
import Testing

/// What the store refused is tried again: tokens that are used up must not be what the next launch begins with.
@Suite(.timeLimit(.minutes(1))) struct LateSavingTests {
  private func refuse(_ harness: ClientHarness) async throws {
    try await harness.storage.write { try $0.run(script: "ALTER TABLE client_token RENAME TO away") }
  }

  private func accept(_ harness: ClientHarness) async throws {
    try await harness.storage.write { try $0.run(script: "ALTER TABLE away RENAME TO client_token") }
  }

  /// The reason of the first state that has another one.
  private func reason(_ harness: ClientHarness, not old: String) async -> String? {
    for await state in await harness.session.states() where state.reason != old { return state.reason }
    return old
  }

  @Test func refreshedTokensAreSavedOnceTheStoreTakesThem() async throws {
    let harness = try ClientHarness()
    try await harness.signIn()
    try await refuse(harness)
    #expect(await harness.session.refresh() == .refreshed)
    for _ in 0..<3 {
      await harness.time.waitForSleepers()
      #expect(await harness.session.state.reason == "storage_unavailable")
      harness.time.advance(by: .seconds(2))
    }
    await harness.time.waitForSleepers()
    try await accept(harness)
    #expect(try harness.store.load()?.refreshToken == "refresh-1")
    harness.time.advance(by: .seconds(5))
    #expect(await reason(harness, not: "storage_unavailable") == nil)
    #expect(try harness.store.load()?.refreshToken == "refresh-2")
    // Another launch goes on with the session.
    #expect(await harness.relaunched().session.bootstrap().phase == .authenticated)
  }

  @Test func aSessionThatIsClosedIsSavedOnceMore() async throws {
    let harness = try ClientHarness()
    try await harness.signIn()
    try await refuse(harness)
    #expect(await harness.session.refresh() == .refreshed)
    try await accept(harness)
    await harness.session.close()
    #expect(try harness.store.load()?.refreshToken == "refresh-2")
  }

  @Test func tokensOfAnEndedSessionAreRemovedOnceTheStoreAllowsIt() async throws {
    let harness = try ClientHarness()
    try await harness.signIn()
    try await refuse(harness)
    await harness.session.logout(reason: .user)
    #expect(await harness.session.state.reason == SessionController.tokensNotRemovedReason)
    try await accept(harness)
    #expect(try harness.store.load() != nil)
    await harness.time.waitForSleepers()
    harness.time.advance(by: .seconds(5))
    #expect(await reason(harness, not: SessionController.tokensNotRemovedReason) == LogoutReason.user.rawValue)
    #expect(try harness.store.load() == nil)
  }

  /// What was refused must not come back over what was saved since.
  @Test func aLaterSignInIsNotOverwritten() async throws {
    let harness = try ClientHarness()
    try await harness.signIn()
    try await refuse(harness)
    await harness.session.logout(reason: .user)
    try await accept(harness)
    try await harness.signIn()
    let saved = try harness.store.load()?.refreshToken
    await harness.time.waitForSleepers()
    harness.time.advance(by: .seconds(5))
    await harness.session.close()
    #expect(try harness.store.load()?.refreshToken == saved && saved != nil)
  }
}
