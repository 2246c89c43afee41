import Client
import Domain
import Locking
import Observability
import RPC
import Storage
import Support
import Testing

/// A session that goes on in another process: it refreshes only what may have been cut off, and says before it does.
@Suite(.timeLimit(.minutes(1))) struct SharedSessionTests {
  private static let configuration = {
    var configuration = ClientHarness.configuration
    (configuration.isShared, configuration.isLaunch) = (true, false)
    return configuration
  }()

  /// A store in memory whose disk can be full.
  private final class FullStore: TokenStore {
    let isFull = Locked(false)
    private let kept = MemoryTokenStore()

    func load() throws(TokenStoreError) -> StoredTokens? { try kept.load() }

    func save(_ tokens: StoredTokens) throws(TokenStoreError) {
      guard !isFull.withLock({ $0 }) else { throw .storageFull }
      try kept.save(tokens)
    }

    func clear() throws(TokenStoreError) { try kept.clear() }
  }

  @Test func relaunchOnSharedStoreNeedsNoRefresh() async throws {
    let harness = try ClientHarness(configuration: Self.configuration)
    try await harness.signIn()
    let next = harness.relaunched(configuration: Self.configuration)
    let state = await next.session.bootstrap()
    #expect(state.phase == .authenticated && state.reason == nil)
    #expect(harness.backend.refreshes == 0)
    #expect((try? await harness.me().get()) != nil)
  }

  @Test func aLaunchRefreshesThem() async throws {
    let harness = try ClientHarness(configuration: Self.configuration)
    try await harness.signIn()
    var launched = Self.configuration
    launched.isLaunch = true
    #expect(await harness.relaunched(configuration: launched).session.bootstrap().phase == .authenticated)
    #expect(harness.backend.refreshes == 1)
  }

  @Test func tokensThatAreDueAreRefreshed() async throws {
    let harness = try ClientHarness(configuration: Self.configuration)
    try await harness.signIn()
    harness.time.advance(by: .seconds(3600))
    #expect(await harness.relaunched(configuration: Self.configuration).session.bootstrap().phase == .authenticated)
    #expect(harness.backend.refreshes == 1)
  }

  /// The process is lost before it knows how its refresh ended; the next one repeats it at once.
  @Test func aRefreshThatWasCutOffIsRepeatedAtOnce() async throws {
    let harness = try ClientHarness(configuration: Self.configuration)
    try await harness.signIn()
    #expect(try harness.store.load()?.isRefreshing == nil)
    let noted = Locked<[Bool?]>([])
    harness.backend.on(AuthEndpoints.RefreshTokens.path) { _ throws(TransportError) in
      let kept = try? harness.store.load()
      noted.withLock { $0.append(kept?.isRefreshing) }
      throw .connectionLost(mayHaveBeenProcessed: true)
    }
    _ = await harness.session.refresh()
    // The store knows before the backend does.
    #expect(noted.withLock { $0 }.first == true)
    harness.backend.reset(AuthEndpoints.RefreshTokens.path)
    let before = harness.backend.refreshes
    #expect(await harness.relaunched(configuration: Self.configuration).session.bootstrap().phase == .authenticated)
    #expect(harness.backend.refreshes == before + 1)
    #expect(try harness.store.load()?.isRefreshing == nil && harness.store.load()?.refreshToken == "refresh-2")
  }

  /// Another process may have the session: a token that is used twice ends it.
  @Test func aRefreshThatCannotBeAnnouncedIsNotSent() async throws {
    let harness = try ClientHarness(configuration: Self.configuration)
    try await harness.signIn()
    try await harness.storage.write { try $0.run(script: "ALTER TABLE client_token RENAME TO away") }
    #expect(await harness.session.refresh() == .failed(.storageUnavailable))
    #expect(harness.backend.refreshes == 0)
    #expect(await harness.session.state.phase == .error)
    // The access token is still good.
    #expect((try? await harness.me().get()) != nil)
    try await harness.storage.write { try $0.run(script: "ALTER TABLE away RENAME TO client_token") }
    #expect(await harness.session.refresh() == .refreshed)
    #expect(harness.backend.refreshes == 1)
  }

  /// A full disk still has room for the small row that says where a device is, so another process may take the session.
  @Test func aRefreshIsNotSentIfTheDiskIsFull() async throws {
    let store = FullStore()
    let harness = try ClientHarness(configuration: Self.configuration, store: store)
    try await harness.signIn()
    store.isFull.withLock { $0 = true }
    #expect(await harness.session.refresh() == .failed(.storageUnavailable))
    #expect(harness.backend.refreshes == 0)
    store.isFull.withLock { $0 = false }
    #expect(await harness.session.refresh() == .refreshed)
  }

  /// However long it was held up: by then another process may have used the token, and the backend forgets it after ten seconds.
  @Test(arguments: [true, false])
  func aRefreshThatWasHeldUpIsNotSentOnceTheSessionIsElsewhere(isShared: Bool) async throws {
    let harness = try ClientHarness(configuration: isShared ? Self.configuration : ClientHarness.configuration)
    try await harness.signIn()
    harness.stack.faults.change { plan, moment in
      let rule = FaultRule(
        name: "slow", match: .init(endpoint: AuthEndpoints.RefreshTokens.name), when: .init(),
        action: .init(.latency, latencyMilliseconds: 15_000))
      _ = plan.arm(rule, id: "slow", at: moment)
    }
    let refresh = Task { await harness.session.refresh() }
    await harness.time.waitForSleepers()
    let closing = Task { await harness.session.close() }
    await harness.time.waitForSleepers(2)
    harness.time.advance(by: .seconds(5))
    await closing.value
    #expect(await refresh.value == .ended)
    harness.time.advance(by: .seconds(10))
    await eventually {
      !harness.log.rows().events.contains { $0.endpoint == AuthEndpoints.RefreshTokens.name && $0.state == .pending }
    }
    #expect(harness.backend.refreshes == 0)
  }

  /// A choice that is saved meanwhile does not hide that the token may be used up.
  @Test func aRefreshWhoseAnswerWasLostStaysNotedUntilItIsRepeated() async throws {
    let harness = try ClientHarness(configuration: Self.configuration)
    try await harness.signIn()
    harness.backend.on(AuthEndpoints.RefreshTokens.path) { _ throws(TransportError) in
      throw .connectionLost(mayHaveBeenProcessed: true)
    }
    _ = await harness.session.refresh()
    try await harness.session.setPreferredLanguageCode("ar")
    #expect(try harness.store.load()?.isRefreshing == true)
    harness.backend.reset(AuthEndpoints.RefreshTokens.path)
    #expect(await harness.session.refresh() == .refreshed)
    #expect(try harness.store.load()?.isRefreshing == nil)
  }

  /// Whoever takes a session over while the database restarts does not take it for signed out.
  @Test func tokensThatCannotBeReadForAMomentAreReadAgain() async throws {
    let harness = try ClientHarness(configuration: Self.configuration)
    try await harness.signIn()
    try await harness.storage.write { try $0.run(script: "ALTER TABLE client_token RENAME TO away") }
    let next = harness.relaunched(configuration: Self.configuration)
    let state = Task { await next.session.bootstrap() }
    await harness.time.waitForSleepers()
    #expect(await next.session.state.number == 0, "nothing is told yet")
    try await harness.storage.write { try $0.run(script: "ALTER TABLE away RENAME TO client_token") }
    harness.time.advance(by: .seconds(1))
    #expect(await state.value.phase == .authenticated)
  }

  @Test func whoIsAloneSaysNothing() async throws {
    let harness = try ClientHarness()
    try await harness.signIn()
    harness.backend.on(AuthEndpoints.RefreshTokens.path) { request throws(TransportError) in
      let kept = try? harness.store.load()
      return kept?.isRefreshing == nil ? harness.backend.answer(request) : TransportResponse(status: 500)
    }
    #expect(await harness.session.refresh() == .refreshed)
  }
}
